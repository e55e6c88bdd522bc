import { addressWord, uintWord } from "./abiWords.ts";
import { portableHashes } from "./hashes.ts";
import type { Hex } from "./hex.ts";
import type { EncodedPolicy } from "./policyEncoding.ts";

/**
 * The hash that binds a verification to one consumer's policy on one chain, as the registry computes it:
 * `keccak256(abi.encode(uint256 chainId, address consumer, string provider, Condition[] conditions))`,
 * from the getters' return data without decoding it.
 */
export function policyHash(
  input: { chainId: bigint | number; consumer: string; encoded: EncodedPolicy },
  { keccak256 } = portableHashes,
): Hex {
  // A getter returns the offset of its one value, then the value. abi.encode needs the value alone.
  const provider = input.encoded.provider.slice(2 + 64);
  const conditions = input.encoded.conditions.slice(2 + 64);
  const head = 4 * 32;
  const values = [
    uintWord(input.chainId),
    addressWord(input.consumer),
    uintWord(head),
    uintWord(head + provider.length / 2),
    provider,
    conditions,
  ];
  return keccak256(`0x${values.join("")}`);
}

/** The policy hash of a consumer on one chain. */
export type HashPolicy = (consumer: string, encoded: EncodedPolicy) => Hex;

/** Computes policy hashes for one chain, once for each reading of a consumer. */
export function policyHasher(chainId: number, hashes = portableHashes): HashPolicy {
  const known = new WeakMap<EncodedPolicy, { consumer: string; hash: Hex }>();
  return (consumer, encoded) => {
    const found = known.get(encoded);
    if (found?.consumer === consumer) return found.hash;
    const hash = policyHash({ chainId, consumer, encoded }, hashes);
    known.set(encoded, { consumer, hash });
    return hash;
  };
}
