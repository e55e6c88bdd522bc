import {
  buildSignInMessage,
  IdentityError,
  type Receipt,
  requestVerification,
  signMessage,
} from "../../../client/index.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import type { Revert } from "../../../protocol/reverts.ts";
import type { SignedVerification } from "../../../protocol/verification.ts";
import { type Submission, submitVerification } from "./submit.ts";

/** Who asks which service for a verification, and what is done with it. */
export interface RequestOptions {
  readonly consumer: string;
  /** An account of the node. */
  readonly wallet: string;
  /** URL of the service. */
  readonly baseUrl: string;
  /** Which entry point gets the verification; by default none. */
  readonly submission?: Pick<Submission, "entryPoint" | "args" | "value"> | undefined;
  /** Reads the contracts that are known: the consumer is told by its code, and errors by name. */
  readonly readContracts: Submission["readContracts"];
}

/** What came of a request: why it was refused, or the verification, and how its submission ended where there was one. */
export type RequestOutcome =
  | { readonly refusal: IdentityError }
  | {
      readonly verification: SignedVerification;
      readonly receipt?: Receipt;
      readonly revert?: Revert;
    };

/** Goes the whole way of an app: signs in, asks the service, and hands the verification to the consumer. */
export async function requestAndSubmit(
  node: Eip1193Connection,
  options: RequestOptions,
): Promise<RequestOutcome> {
  const { consumer, wallet, baseUrl, submission, readContracts } = options;
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  try {
    const verification = await signInAndRequest(node, { consumer, wallet, chainId, baseUrl });
    if (submission === undefined) return { verification };
    const submitted = { ...submission, consumer, wallet, chainId, verification, readContracts };
    return { verification, ...(await submitVerification(node, submitted)) };
  } catch (error) {
    if (error instanceof IdentityError) return { refusal: error };
    throw error;
  }
}

/**
 * Has an account of the node sign in, and asks the service.
 *
 * @throws IdentityError as an app gets it, when the service refuses.
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
