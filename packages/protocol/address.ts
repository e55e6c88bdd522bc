import { keccak_256 } from "@noble/hashes/sha3.js";
import { utf8ToBytes } from "./bytes.ts";
import { InvalidInputError } from "./errors.ts";

/** Whether a text is `0x` and 40 hex digits, in any casing. */
export function isAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}

/** Whether two addresses are one, in any casing. */
export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Recently computed checksums: a request names the same addresses several times. */
const known = new Map<string, string>();
const keptChecksums = 1_000;

/** The address with its EIP-55 checksum casing. */
export function checksumAddress(address: string): string {
  const lower = address.slice(2).toLowerCase();
  const found = known.get(lower);
  if (found !== undefined) return found;
  const checksummed = computeChecksum(lower);
  if (known.size >= keptChecksums) known.clear();
  known.set(lower, checksummed);
  return checksummed;
}

function computeChecksum(lower: string): string {
  const upper = lower.toUpperCase();
  const hash = keccak_256(utf8ToBytes(lower));
  let checksummed = "0x";
  for (let i = 0; i < lower.length; i++) {
    const byte = hash[i >> 1] ?? 0;
    const digit = i % 2 === 0 ? byte >> 4 : byte & 15;
    checksummed += (digit >= 8 ? upper : lower).charAt(i);
  }
  return checksummed;
}

/** Whether an address is all lower case, all upper case, or has a valid EIP-55 checksum. */
export function hasValidCasing(address: string): boolean {
  const digits = address.slice(2);
  return (
    digits === digits.toLowerCase() || digits === digits.toUpperCase() || address === checksumAddress(address)
  );
}

/**
 * Reads an address that a person gave.
 *
 * @param name The name of the input, such as `--consumer`.
 * @returns The checksummed address.
 * @throws InvalidInputError naming the thing, what it got and what it wants.
 */
export function parseAddress(name: string, text: string | undefined): string {
  const wanted = "an address (0x and 40 hex digits)";
  if (text === undefined || text === "")
    throw new InvalidInputError(`${name} is missing; it must be ${wanted}.`);
  if (!isAddress(text))
    throw new InvalidInputError(`${name} must be ${wanted}, got ${JSON.stringify(text)}.`);
  if (!hasValidCasing(text))
    throw new InvalidInputError(`${name} has a wrong EIP-55 checksum: ${text}. Copy the address again.`);
  return checksumAddress(text);
}
