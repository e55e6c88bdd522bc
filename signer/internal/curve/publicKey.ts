import { ECDH } from "node:crypto";
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { bytesToHex } from "@hardhat-identity/protocol/bytes";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { keccak_256 } from "@noble/hashes/sha3.js";

/**
 * The address of a key, EIP-55 checksummed.
 *
 * @param publicKey 33 or 65 bytes (SEC 1).
 * @throws Error when it is not a point of the curve.
 */
export function publicKeyAddress(publicKey: Uint8Array): string {
  // Node's own, because the portable curve takes long to load.
  const point = ECDH.convertKey(publicKey, "secp256k1", undefined, undefined, "uncompressed") as Buffer;
  if (point.length !== 65) throw new Error("The key is the point at infinity.");
  return checksumAddress(hashPublicKey(point));
}

/** The address of a key of 65 bytes, in lower case. */
export const hashPublicKey = (publicKey: Uint8Array): Hex =>
  `0x${bytesToHex(keccak_256(publicKey.subarray(1))).slice(-40)}`;
