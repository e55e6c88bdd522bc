import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Hex } from "./hex.ts";

/** Hashes bytes: hex in, 32 bytes of lower-case hex out. Throws where the input is not hex of whole bytes. */
export type Hash = (bytes: Hex) => Hex;

/** The hash functions that a verification needs. */
export interface Hashes {
  readonly keccak256: Hash;
  /** HMAC-SHA-256 with this key. */
  hmacSha256(key: Uint8Array): Hash;
}

/** Keccak-256 of a text in UTF-8, 32 bytes hex. */
export const hashText = (text: string): Hex => hex(keccak_256(utf8ToBytes(text)));

/** The first 4 bytes of the hash of a function's signature, such as `owner()`; hex. */
export const functionSelector = (signature: string): Hex => hashText(signature).slice(0, 10) as Hex;

/** Portable hash functions; the service has faster ones. */
export const portableHashes: Hashes = {
  keccak256: (bytes) => hex(keccak_256(hexToBytes(bytes.slice(2)))),
  hmacSha256: (key) => (bytes) => hex(hmac(sha256, key, hexToBytes(bytes.slice(2)))),
};

const hex = (bytes: Uint8Array): Hex => `0x${bytesToHex(bytes)}`;
