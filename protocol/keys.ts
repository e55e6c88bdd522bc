import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

/** What a key derived from the master secret is for. */
export type KeyPurpose =
  | "account"
  | "identity"
  | "traits"
  | "credential"
  | "store-check"
  | "session"
  | "audit-entries"
  | "audit-chain"
  | "limits";

/**
 * Derives a 32-byte key from the operator's master secret: HKDF-SHA-256 without salt, one label per purpose.
 *
 * @param masterSecret At least 32 bytes. Whoever has it can tell which accounts stand behind identity hashes.
 */
export function deriveKey(masterSecret: Uint8Array, purpose: KeyPurpose): Uint8Array {
  return hkdf(sha256, masterSecret, undefined, utf8ToBytes(`hardhat-identity/${purpose}/v1`), 32);
}
