import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** What a key derived from the master secret is for; `credential` also from a secret that rows alone are encrypted with. */
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
  | "export";

/**
 * Derives a 32-byte key from the operator's master secret: HKDF-SHA-256 without salt, one label per purpose.
 *
 * @param masterSecret At least 32 bytes. Whoever has it can tell which accounts stand behind identity hashes.
 */
export function deriveKey(masterSecret: Uint8Array, purpose: KeyPurpose): Uint8Array {
  return expand(masterSecret, purpose, 32);
}

/**
 * What a derived key is called by in public: in rows and files that were encrypted with it, and in the log. It tells
 * nothing of the key.
 *
 * @returns 8 hex digits.
 */
export function keyId(key: Uint8Array): string {
  return bytesToHex(expand(key, "key-id", 4));
}

const expand = (secret: Uint8Array, label: string, length: number) =>
  hkdf(sha256, secret, undefined, utf8ToBytes(`hardhat-identity/${label}/v1`), length);
