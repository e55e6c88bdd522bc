import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import type { Hex } from "../../protocol/hex.ts";
import { checkPosition, invalidArgument, isHex } from "../internal/arguments.ts";

// ERC-7201 location of the namespace hardhat-identity.storage.VerifyOnce; its first member is the mapping.
const verifyOnceSlot = "0xe760cd41377cb758da0760673689bb59a2b646d07268d70037a1ec1015a35d00";

/** An identity, and its place in the consumer's storage. */
export interface IdentityLocation {
  /** From a verification for the consumer. */
  readonly identityHash: string;
  /** The slot (hex) of the consumer's own `mapping(bytes32 => bool)`; that of `VerifyOnce` by default. */
  readonly mappingSlot?: string | undefined;
}

/**
 * Computes the storage slot that marks an identity as used: `keccak256(identityHash . slot of the mapping)`.
 *
 * @returns 32 bytes, for `getStorageAt`, a proof (`eth_getProof`) or a test that sets storage.
 * @throws IdentityError `INVALID_ARGUMENT`.
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
export function identityPosition({ identityHash, mappingSlot = verifyOnceSlot }: IdentityLocation): Hex {
  if (!isHex(identityHash, 32)) {
    throw invalidArgument("identityHash", "32 bytes as hex after 0x", identityHash);
  }
  const slot = checkPosition("mappingSlot", mappingSlot);
  return `0x${bytesToHex(keccak_256(hexToBytes(identityHash.slice(2) + slot.slice(2))))}`;
}
