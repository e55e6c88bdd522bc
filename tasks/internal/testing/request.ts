import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { inspectPolicy } from "../consumer/policy.ts";
import { signInAndRequest } from "../consumer/request.ts";
import { readAccounts } from "../wallet/readAccounts.ts";
import { type AddressLike, checkMembers, readAddress } from "./arguments.ts";
import { type Remembered, remember } from "./explain.ts";
import { type MintedVerification, withArguments } from "./mint.ts";

/** The options of a request for a verification. */
export interface TestRequestOptions {
  readonly consumer: AddressLike;
  /** The wallet: an account of this connection, which signs the sign-in message. */
  readonly user: AddressLike;
}

/**
 * Does what an app does: signs in, and requests a verification.
 *
 * @throws IdentityError if the service refuses, as an app gets it.
 */
export async function requestForTest(
  node: Eip1193Connection,
  remembered: Remembered,
  service: { readonly url: string; readonly signer: string; readonly registry: string },
  options: TestRequestOptions,
): Promise<MintedVerification> {
  checkMembers("request", options, ["consumer", "user"]);
  const consumer = readAddress("consumer", options.consumer);
  const user = await readUser(node, options.user);
  const chainId = Number(await node.request({ method: "eth_chainId" }));
  const asked = { consumer, wallet: user, chainId, baseUrl: service.url };
  const verification = await signInAndRequest(node, asked);
  const { policyHash } = await inspectPolicy(node, consumer);
  const { identityHash, expiration, signature } = verification;
  const { registry, signer } = service;
  const bound = { chainId, registry, consumer, user, identityHash, policyHash, expiration, signer };
  remember(remembered, signature, bound);
  return withArguments(verification);
}

/** Reads the user, who must be an account that the node signs with. */
async function readUser(node: Eip1193Connection, value: unknown): Promise<Hex> {
  const user = readAddress("user", value);
  const { accounts, unanswered } = await readAccounts(node);
  if (accounts.includes(user)) return user;
  throw new InvalidInputError(
    `user must be an account of this connection, which signs the sign-in message; ${user} is not one of its ${accounts.length}${unanswered}.`,
  );
}
