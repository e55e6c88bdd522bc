import { checksumAddress } from "@hardhat-identity/protocol/address";
import { bytesToHex } from "@hardhat-identity/protocol/bytes";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";

/**
 * The address of a key, EIP-55 checksummed.
 *
 * @param publicKey 33 or 65 bytes (SEC 1).
 * @throws Error when it is not a point of the curve.
 */
export const publicKeyAddress = (publicKey: Uint8Array): string =>
  checksumAddress(hashPublicKey(secp256k1.Point.fromBytes(publicKey).toBytes(false)));

/** The address of a key of 65 bytes, in lower case. */
export const hashPublicKey = (publicKey: Uint8Array): Hex =>
  `0x${bytesToHex(keccak_256(publicKey.subarray(1))).slice(-40)}`;
