import { toQuantity } from "ethers";
import { encodeCall } from "../../../client/index.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Hex } from "../../../protocol/hex.ts";
import type { CompiledContract } from "../consumer/compiledContract.ts";
import { inspectPolicy } from "../consumer/policy.ts";
import { signInAndRequest } from "../consumer/request.ts";
import { encodeEntryPoint, wholeSignature } from "../consumer/submit.ts";
import { readAccounts } from "../wallet/readAccounts.ts";
import { type AddressLike, checkMembers, describe, readAddress, readText } from "./arguments.ts";
import { type Remembered, remember } from "./explain.ts";
import { type MintedVerification, withArguments } from "./mint.ts";
import { type ToolboxReceipt, waitForToolboxReceipt } from "./receipt.ts";

/** The options of a request for a verification, and of its submission. */
export interface TestRequestOptions {
  readonly consumer: AddressLike;
  /** The wallet: an account of this connection, which signs the sign-in message. */
  readonly user: AddressLike;
  /**
   * The consumer's entry point to call with the verification. Its name is enough if `consumer` is a contract of ethers
   * or viem, or if the entry point takes no other arguments. Otherwise give its full signature, such as
   * `vote(bool support, bytes32 identityHash, uint40 expiration, bytes signature)`.
   */
  readonly submit?: string | undefined;
  /** The entry point's other arguments, by name. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** Wei to send along. */
  readonly value?: bigint | undefined;
}

/** The service's verification, and the toolbox's receipt if it was submitted. */
export interface RequestedVerification extends MintedVerification {
  readonly receipt?: ToolboxReceipt;
}

const known = ["consumer", "user", "submit", "args", "value"];

/**
 * Does what an app does: signs in, requests a verification, and sends it to the consumer.
 *
 * @throws IdentityError if the service refuses, as an app gets it. Errors of the transaction are the node's.
 */
export async function requestForTest(
  node: Eip1193Connection,
  connection: object,
  remembered: Remembered,
  service: { readonly url: string; readonly signer: string; readonly registry: string },
  options: TestRequestOptions,
): Promise<RequestedVerification> {
  checkMembers("identity.request", options, known);
  const consumer = readAddress("consumer", options.consumer);
  const user = await readAccount(node, options.user);
  const submit =
    options.submit === undefined ? undefined : readText("submit", options.submit, "an entry point's name");
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  const asked = { consumer, wallet: user, chainId, baseUrl: service.url };
  const verification = withArguments(await signInAndRequest(node, asked));
  const { policyHash } = await inspectPolicy(node, consumer);
  const { identityHash, expiration, signature } = verification;
  const { registry, signer } = service;
  const bound = { chainId, registry, consumer, user, identityHash, policyHash, expiration, signer };
  remember(remembered, signature, bound);
  if (submit === undefined) return verification;
  const transaction = {
    from: user,
    to: consumer,
    data: encode(submit, options, verification),
    value: toQuantity(readWei("value", options.value)),
  };
  // Sent without a simulation: the matchers of tests expect the node's own error.
  const hash = await node.request({ method: "eth_sendTransaction", params: [transaction] });
  return { ...verification, receipt: await waitForToolboxReceipt(node, connection, hash as Hex) };
}

/** Where the ABI of the contract is there, a function that it does not have is named before anything is sent. */
function encode(
  entryPoint: string,
  { consumer, args }: TestRequestOptions,
  verification: MintedVerification,
): string {
  const abi = readAbi(consumer);
  return abi === undefined
    ? encodeCall({ abi: wholeSignature(entryPoint), verification, args })
    : encodeEntryPoint({ contractName: "consumer", abi }, { entryPoint, verification, args }).data;
}

/** Reads the ABI of a contract of viem (`abi`) or of any version of ethers (`interface`). */
function readAbi(consumer: AddressLike): CompiledContract["abi"] | undefined {
  const { abi, interface: ofEthers } = Object(consumer);
  if (Array.isArray(abi)) return abi;
  return typeof ofEthers?.formatJson === "function" ? JSON.parse(ofEthers.formatJson()) : undefined;
}

/** Reads the user, who must be an account that the node signs with. */
async function readAccount(node: Eip1193Connection, value: unknown): Promise<Hex> {
  const user = readAddress("user", value);
  const { accounts, unanswered } = await readAccounts(node);
  if (accounts.some((account) => account.toLowerCase() === user.toLowerCase())) return user;
  throw new InvalidInputError(
    `user must be an account of this connection, which signs the sign-in message; ${user} is not one of its ${accounts.length}${unanswered}.`,
  );
}

function readWei(name: string, value: unknown): bigint {
  if (value === undefined) return 0n;
  if (typeof value === "bigint" && value >= 0n) return value;
  throw new InvalidInputError(`${name} must be wei as a bigint, such as 10n ** 18n, got ${describe(value)}.`);
}
