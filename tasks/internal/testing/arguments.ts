import { parseAddress } from "@hardhat-identity/protocol/address";
import { describeValue } from "@hardhat-identity/protocol/describeValue";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { isObject, membersOf } from "@hardhat-identity/protocol/json";
import { lastChainSecond } from "@hardhat-identity/protocol/lastSeconds";
import type { TraitValues } from "@hardhat-identity/protocol/traits";

/**
 * An address, or an object of either toolbox that has one: a contract of ethers (`target`) or viem (`address`), a
 * signer of ethers (`address`), or a wallet client of viem (`account.address`).
 */
export type AddressLike =
  | string
  | { readonly target: unknown }
  | { readonly address: string }
  | { readonly account: { readonly address: string } };

/** Unix seconds: a number, or a bigint such as a block's timestamp in viem. */
export type Seconds = number | bigint;

/**
 * Reads an address from a test.
 *
 * @param name Name of the option, such as `consumer`.
 * @returns The checksummed address.
 */
export function readAddress(name: string, value: unknown): Hex {
  const text = typeof value === "string" || value === undefined ? value : findAddress(value);
  if (typeof text === "string" || value === undefined) return parseAddress(name, text) as Hex;
  throw new InvalidInputError(
    `${name} must be an address, or a contract or wallet of ethers or viem, got ${describeValue(value)}.`,
  );
}

/** Reads an address if it was given. */
export function readOptionalAddress(name: string, value: unknown): Hex | undefined {
  return value === undefined ? undefined : readAddress(name, value);
}

// An ethers contract has a function or `undefined` for every property name, so only a string counts.
function findAddress(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { target, address, account } = value as Record<string, unknown>;
  const found = [target, address, membersOf(account).address];
  return found.find((candidate): candidate is string => typeof candidate === "string");
}

/** Reads a time. */
export function readSeconds(name: string, value: unknown): number {
  const wanted = `${name} must be whole unix seconds`;
  const seconds = typeof value === "bigint" ? Number(value) : value;
  if (typeof seconds !== "number" || !Number.isInteger(seconds) || seconds < 0) {
    throw new InvalidInputError(`${wanted}, got ${describeValue(value)}.`);
  }
  if (seconds > lastChainSecond) {
    throw new InvalidInputError(`${wanted}, got ${seconds}: are these milliseconds? Divide them by 1000.`);
  }
  return seconds;
}

/** Reads a non-empty string, such as an identity's name. */
export function readText(name: string, value: unknown, wanted: string): string {
  // A lone surrogate would be stored as another character.
  if (typeof value === "string" && value !== "" && !/\p{Surrogate}/u.test(value)) return value;
  throw new InvalidInputError(`${name} must be ${wanted}, got ${describeValue(value)}.`);
}

/**
 * Checks that a method's argument is an object without unknown members.
 *
 * @param method Name of the method, such as `identity.mint`.
 */
export function checkMembers(method: string, value: unknown, known: readonly string[]): void {
  if (!isObject(value)) {
    throw new InvalidInputError(
      `${method} takes one object of ${known.join(", ")}, got ${describeValue(value)}.`,
    );
  }
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new InvalidInputError(
    `${method} does not know ${describeValue(unknown)}; it takes ${known.join(", ")}.`,
  );
}

/** Reads traits without checking their values, which depend on the provider. */
export function readTraitValues(name: string, value: unknown): TraitValues {
  if (isObject(value)) return { ...(value as TraitValues) };
  throw new InvalidInputError(
    `${name} must be an object of traits, such as { followers: 1200 }, got ${describeValue(value)}.`,
  );
}
