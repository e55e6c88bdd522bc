import { checksumAddress, hasValidCasing, isAddress } from "@hardhat-identity/protocol/address";
import { describeValue } from "@hardhat-identity/protocol/describeValue";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { parseUrl } from "@hardhat-identity/protocol/url";
import { IdentityError } from "../identityError.ts";

/**
 * Returns the error for an invalid argument.
 *
 * @param wanted The requirement, to follow "must be".
 * @param got The value, shown shortened; omitted if it is a secret or too large.
 */
export function invalidArgument(argument: string, wanted: string, ...got: [] | [unknown]): IdentityError {
  const found = got.length === 0 ? "" : `, got ${describeValue(got[0])}`;
  return new IdentityError("client_invalid_argument", `${argument} must be ${wanted}${found}.`, { argument });
}

/** Tells whether a value is an http(s) URL: no other is requested or opened. */
export function isWebUrl(value: unknown): value is string {
  return typeof value === "string" && /^https?:\/\//i.test(value) && parseUrl(value) !== undefined;
}

/** An address: 20 bytes, with a valid EIP-55 checksum if it has one. */
export function checkAddress(argument: string, value: unknown): Hex {
  if (typeof value !== "string" || !isAddress(value)) {
    throw invalidArgument(argument, "an address (0x and 40 hex digits)", value);
  }
  if (!hasValidCasing(value)) throw invalidArgument(argument, "an address with its EIP-55 checksum", value);
  return checksumAddress(value) as Hex;
}

/** An EIP-155 chain id. */
export function checkChainId(value: number): void {
  if (!Number.isSafeInteger(value) || value < 1)
    throw invalidArgument("chainId", "a positive integer", value);
}

/** Milliseconds between requests. */
export function checkInterval(value: number): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw invalidArgument("interval", "a positive number of milliseconds", value);
}

/** A slot, padded to 32 bytes, which every node accepts. */
export function checkPosition(argument: string, value: unknown): Hex {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) {
    throw invalidArgument(argument, "a hex integer of up to 32 bytes, such as 0x5", value);
  }
  return `0x${value.slice(2).toLowerCase().padStart(64, "0")}`;
}
