import {
  buildSignInMessage,
  IdentityError,
  type Receipt,
  requestVerification,
  signMessage,
} from "@hardhat-identity/client";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { Revert } from "@hardhat-identity/protocol/reverts";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { checkSubmission, type Submission, submitVerification } from "./submit.ts";

/** The options of a request for a verification, and of its submission. */
export interface RequestOptions extends Pick<Submission, "consumer" | "wallet" | "known" | "readContracts"> {
  /** URL of the service. */
  readonly baseUrl: string;
  /** The entry point to call with the verification. By default, none is called. */
  readonly submission?: Pick<Submission, "entryPoint" | "args" | "value"> | undefined;
}

/** The outcome of a request: the service's refusal, or the verification with the outcome of its submission, if any. */
export type RequestOutcome =
  | { readonly refusal: IdentityError }
  | {
      readonly verification: SignedVerification;
      readonly receipt?: Receipt;
      readonly revert?: Revert;
    };

/** Does what an app does: signs in, requests a verification, and submits it to the consumer. */
export async function requestAndSubmit(
  node: Eip1193Connection,
  options: RequestOptions,
): Promise<RequestOutcome> {
  const { consumer, wallet, baseUrl, submission, known, readContracts } = options;
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  const call = submission && { ...submission, consumer, wallet, chainId, known, readContracts };
  // Before the service is asked: a typing error needs no verification.
  if (call !== undefined) await checkSubmission(node, call);
  try {
    const verification = await signInAndRequest(node, { consumer, wallet, chainId, baseUrl });
    if (call === undefined) return { verification };
    return { verification, ...(await submitVerification(node, { ...call, verification })) };
  } catch (error) {
    if (error instanceof IdentityError) return { refusal: error };
    throw error;
  }
}

/**
 * Signs in with an account of the node and requests a verification from the service.
 *
 * @throws IdentityError if the service refuses, as an app gets it.
 */
export async function signInAndRequest(
  node: Eip1193Connection,
  asked: Pick<RequestOptions, "consumer" | "wallet" | "baseUrl"> & { readonly chainId: number },
): Promise<SignedVerification> {
  const { consumer, wallet: address, baseUrl, chainId } = asked;
  const app = { domain: "localhost", uri: "http://localhost/" };
  const message = buildSignInMessage({ ...app, address, consumer, chainId });
  const signature = await signMessage(node, { address, message });
  return requestVerification({ baseUrl, message, signature });
}
