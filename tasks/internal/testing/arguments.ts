import { parseAddress } from "../../../protocol/address.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Hex } from "../../../protocol/hex.ts";
import type { TraitValues } from "../../../protocol/traits.ts";

/**
 * An address, or what has one in either toolbox: a contract of ethers (`target`) or viem (`address`), a signer of ethers
 * (`address`), a wallet client of viem (`account.address`).
 */
export type AddressLike =
  | string
  | { readonly target: unknown }
  | { readonly address: string }
  | { readonly account: { readonly address: string } };

/** Unix seconds; a bigint where viem has one, such as a block's timestamp. */
export type Seconds = number | bigint;

/**
 * Reads an address that a test gave.
 *
 * @param name What it is called where it was given, such as `consumer`.
 * @returns The checksummed address.
 * @throws InvalidInputError naming the thing, what it got and what it wants.
 */
export function readAddress(name: string, value: unknown): Hex {
  const text = typeof value === "string" || value === undefined ? value : findAddress(value);
  if (typeof text === "string" || value === undefined) return parseAddress(name, text) as Hex;
  throw new InvalidInputError(
    `${name} must be an address, or a contract or wallet of ethers or viem, got ${describe(value)}.`,
  );
}

/** An address where it was given. */
export function readOptionalAddress(name: string, value: unknown): Hex | undefined {
  return value === undefined ? undefined : readAddress(name, value);
}

// An ethers contract answers every name with a function of that name or `undefined`, so that only a text counts.
function findAddress(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { target, address, account } = value as Record<string, unknown>;
  const found = [target, address, Object(account).address];
  return found.find((candidate): candidate is string => typeof candidate === "string");
}

/** The latest that fits into the registry's `uint40`; no time of today in milliseconds does. */
const lastSecond = 2 ** 40 - 1;

/**
 * Reads a point of time.
 *
 * @throws InvalidInputError naming the thing, what it got and what it wants.
 */
export function readSeconds(name: string, value: unknown): number {
  const wanted = `${name} must be whole unix seconds`;
  const seconds = typeof value === "bigint" ? Number(value) : value;
  if (typeof seconds !== "number" || !Number.isInteger(seconds) || seconds < 0) {
    throw new InvalidInputError(`${wanted}, got ${describe(value)}.`);
  }
  if (seconds > lastSecond) {
    throw new InvalidInputError(`${wanted}, got ${seconds}: are these milliseconds? Divide them by 1000.`);
  }
  return seconds;
}

/**
 * Reads a text that is not empty, such as an identity's name.
 *
 * @throws InvalidInputError naming the thing, what it got and what it wants.
 */
export function readText(name: string, value: unknown, wanted: string): string {
  // Half a character would be stored as another one.
  if (typeof value === "string" && value !== "" && !/\p{Surrogate}/u.test(value)) return value;
  throw new InvalidInputError(`${name} must be ${wanted}, got ${describe(value)}.`);
}

/**
 * Makes sure that what a method was given is one object with no member that it does not know.
 *
 * @param method What was called, such as `identity.mint`.
 * @throws InvalidInputError naming the member, and those that there are.
 */
export function checkMembers(method: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InvalidInputError(`${method} takes one object of ${known.join(", ")}, got ${describe(value)}.`);
  }
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new InvalidInputError(`${method} does not know ${describe(unknown)}; it takes ${known.join(", ")}.`);
}

/**
 * Reads traits as far as that needs no provider, by which their values are judged.
 *
 * @throws InvalidInputError naming the thing, what it got and what it wants.
 */
export function readTraitValues(name: string, value: unknown): TraitValues {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new InvalidInputError(
    `${name} must be what the provider says of the account, such as { followers: 1200 }, got ${describe(value)}.`,
  );
}

/** A value in a few words, however large it is. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(value.length > 64 ? `${value.slice(0, 64)}…` : value);
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value).slice(0, 64);
  if (Array.isArray(value)) return "an array";
  const { name } = Object(Object.getPrototypeOf(value)?.constructor);
  return typeof name === "string" && name !== "Object" ? `an object of class ${name}` : "an object";
}
