import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** The purpose of a key derived from the master secret. `credential` keys may come from a separate encryption secret. */
export type KeyPurpose =
  | "account"
  | "identity"
  | "traits"
  | "credential"
  | "store-check"
  | "session"
  | "audit-entries"
  | "audit-chain"
  | "limits"
  | "watch";

/**
 * Derives a 32-byte key from the operator's master secret: HKDF-SHA-256 without salt, one label per purpose.
 *
 * @param masterSecret At least 32 bytes. Anyone who has it can link identity hashes to accounts.
 */
export function deriveKey(masterSecret: Uint8Array, purpose: KeyPurpose): Uint8Array {
  return expand(masterSecret, purpose, 32);
}

/**
 * The public id of a derived key, used in encrypted rows and files and in the log. It reveals nothing about the key.
 *
 * @returns 8 hex digits.
 */
export function keyId(key: Uint8Array): string {
  return bytesToHex(expand(key, "key-id", 4));
}

const expand = (secret: Uint8Array, label: string, length: number) =>
  hkdf(sha256, secret, undefined, utf8ToBytes(`hardhat-identity/${label}/v1`), length);
