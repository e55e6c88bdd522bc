import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** Whether a text is `0x` and 40 hex digits, in any casing. */
export function isAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}

/** The address with its EIP-55 checksum casing. */
export function checksumAddress(address: string): string {
  const lower = address.slice(2).toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)));
  const digits = [...lower].map((digit, i) =>
    Number.parseInt(hash.charAt(i), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${digits.join("")}`;
}

/** Whether an address is all lower case, all upper case, or has a right EIP-55 checksum. */
export function hasValidCasing(address: string): boolean {
  const digits = address.slice(2);
  return (
    digits === digits.toLowerCase() || digits === digits.toUpperCase() || address === checksumAddress(address)
  );
}
