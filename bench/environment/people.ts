import { randomBytes } from "node:crypto";
import { checksumAddress } from "../../packages/protocol/address.ts";
import { encodePolicy } from "../../packages/protocol/policyEncoding.ts";
import { policyHash } from "../../packages/protocol/protocolHashes.ts";
import { signInMessage } from "../../test/fixtures/signer/signIn.ts";
import { addressOf, hashMessage, hex, sign } from "../load/curve.ts";
import type { PreparedRequest } from "../load/task.ts";

/** The policy of the consumers (examples/IncentiveProgram), which every wallet satisfies. */
const policy = {
  provider: "microblog",
  conditions: [{ name: "followers", op: "gt", value: "1000" }],
} as const;
export const { provider } = policy;
const encoded = encodePolicy(policy);

/** Returns the hash of a consumer's policy. */
export const hashPolicyOf = (chainId: number, consumer: string) => policyHash({ chainId, consumer, encoded });

export interface Person {
  /** Checksummed. */
  readonly wallet: string;
  readonly key: Uint8Array;
}

export function createPeople(count: number): Person[] {
  return Array.from({ length: count }, () => {
    const key = randomBytes(32);
    return { key, wallet: checksumAddress(addressOf(key)) };
  });
}

/** Returns a credential for the store. */
export const createCredential = (wallet: string, accountId = wallet) => ({
  wallet,
  provider,
  accountId,
  traits: { followers: "1200" },
  authenticatedAt: Math.floor(Date.now() / 1_000),
});

/**
 * Signs different requests now, in turn for each person and for each consumer. They are valid for ten minutes.
 */
export function signRequests(
  count: number,
  {
    people,
    chainId,
    consumers,
  }: { people: readonly Person[]; chainId: number; consumers: readonly string[] },
): PreparedRequest[] {
  const issuedAt = new Date();
  const hashes = new Map(consumers.map((consumer) => [consumer, hashPolicyOf(chainId, consumer)]));
  return Array.from({ length: count }, (_, i) => {
    const person = people[i % people.length];
    const consumer = consumers[i % consumers.length];
    if (person === undefined || consumer === undefined)
      throw new Error("There are no people, or no consumers.");
    const nonce = randomBytes(8).toString("hex");
    const message = signInMessage({ address: person.wallet, consumer, chainId, nonce, issuedAt });
    const signature = hex(sign(hashMessage(message), person.key));
    const body = JSON.stringify({ message, signature });
    return { body, user: person.wallet.toLowerCase(), policyHash: hashes.get(consumer) ?? "" };
  });
}
