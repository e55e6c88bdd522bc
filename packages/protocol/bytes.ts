// The functions of @noble/hashes check what the compiler checks here, and would be a twentieth of the client.

/** Bytes as hex digits, without `0x`. */
export const bytesToHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The bytes of whole pairs of hex digits, without `0x`. */
export const hexToBytes = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** A text in UTF-8. */
export const utf8ToBytes = (text: string): Uint8Array => new TextEncoder().encode(text);
