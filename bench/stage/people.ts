import { randomBytes } from "node:crypto";
import { checksumAddress } from "../../protocol/address.ts";
import { policyHash } from "../../protocol/policyHash.ts";
import { buildSignInMessage } from "../../protocol/signIn/build.ts";
import { hashMessage, hex, loadCurve } from "../curve.ts";
import type { PreparedRequest } from "../load/task.ts";
import type { Chain } from "./chain.ts";
import { encodedPolicy } from "./policy.ts";

const curve = await loadCurve();

export interface Person {
  /** Checksummed. */
  readonly wallet: string;
  readonly key: Uint8Array;
}

export function createPeople(count: number): Person[] {
  return Array.from({ length: count }, () => {
    const key = randomBytes(32);
    return { key, wallet: checksumAddress(curve.address(key)) };
  });
}

/**
 * Requests that are signed now, no two of them the same: in turn for each person and for each consumer.
 *
 * @param issuedAt In a message of its own time, that it may be sent for ten minutes.
 */
export function signRequests(
  count: number,
  { people, chain, consumers }: { people: readonly Person[]; chain: Chain; consumers: readonly string[] },
): PreparedRequest[] {
  const { chainId } = chain;
  const issuedAt = new Date();
  const hashes = new Map(
    consumers.map((consumer) => [consumer, policyHash({ chainId, consumer, encoded: encodedPolicy })]),
  );
  return Array.from({ length: count }, (_, i) => {
    const person = people[i % people.length];
    const consumer = consumers[i % consumers.length];
    if (person === undefined || consumer === undefined) throw new Error("Nobody asks, or for nothing.");
    const message = buildSignInMessage({
      domain: "app.example",
      address: person.wallet,
      uri: "https://app.example/claim",
      chainId,
      consumer,
      nonce: randomBytes(8).toString("hex"),
      issuedAt,
    });
    const signature = hex(curve.sign(hashMessage(message), person.key));
    return {
      body: JSON.stringify({ message, signature }),
      user: person.wallet.toLowerCase(),
      policyHash: hashes.get(consumer) ?? "",
    };
  });
}
