import { bytesToHex, hexToBytes } from "@hardhat-identity/protocol/bytes";
import { type Hex, isHex } from "@hardhat-identity/protocol/hex";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { checkPosition, invalidArgument } from "../internal/arguments.ts";

// ERC-7201 location of the namespace hardhat-identity.storage.VerifyOnce. Its first member is the mapping of round zero, its
// second that of all other rounds.
const verifyOnceSlot = "0xe760cd41377cb758da0760673689bb59a2b646d07268d70037a1ec1015a35d00";
const roundsSlot = "0xe760cd41377cb758da0760673689bb59a2b646d07268d70037a1ec1015a35d01";

/** An identity, and its place in the consumer's storage. */
export interface IdentityLocation {
  /** From a verification for the consumer. */
  readonly identityHash: string;
  /** The round, 32 bytes hex; by default zero, the consumer itself. */
  readonly round?: string | undefined;
  /** The slot (hex) of the consumer's own mapping of identities or, with `round`, of rounds; by default that of `VerifyOnce`. */
  readonly mappingSlot?: string | undefined;
}

/**
 * Computes the storage slot that marks an identity as used: `keccak256(identityHash . slot of the mapping)`.
 *
 * @returns 32 bytes, for `getStorageAt`, a proof (`eth_getProof`) or a test that sets storage.
 * @throws IdentityError `client_invalid_argument`.
 * @example
 * ```ts
 * import { identityPosition } from "@hardhat-identity/client";
 *
 * const position = identityPosition({
 *   identityHash: "0x3fd54831f488a22b28398de0c567a3b064b937f54f81739ae9bd545967f3abab",
 *   mappingSlot: "0x0",
 * });
 * console.log(position); // 0x34861a4a24d24eec5a1d3db13fc21ac77653f8ac53b256c49400b333ea42d677
 * ```
 */
export function identityPosition({ identityHash, round, mappingSlot }: IdentityLocation): Hex {
  const identity = checkWord("identityHash", identityHash);
  const own = mappingSlot === undefined ? undefined : checkPosition("mappingSlot", mappingSlot);
  const key = round === undefined ? undefined : checkWord("round", round);
  // Round zero of `VerifyOnce` has a mapping of its own, which was there before the rounds.
  if (key === undefined || (own === undefined && BigInt(key) === 0n))
    return slotOf(identity, own ?? verifyOnceSlot);
  return slotOf(identity, slotOf(key, own ?? roundsSlot));
}

function checkWord(name: string, value: string): string {
  if (isHex(value, 32)) return value;
  throw invalidArgument(name, "32 bytes as hex after 0x", value);
}

/** Solidity's slot of a mapping's value. */
const slotOf = (key: string, mapping: string): Hex =>
  `0x${bytesToHex(keccak_256(hexToBytes(key.slice(2) + mapping.slice(2))))}`;
