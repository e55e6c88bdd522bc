import { InvalidInputError } from "@hardhat-identity/protocol/errors";

/** An option that must be given. `what` says in an error what it must be. */
export function requireOption(name: string, value: string | undefined, what: string): string {
  if (value === undefined || value === "") {
    throw new InvalidInputError(`${name} is missing; it must be ${what}.`);
  }
  return value;
}

/** A whole number that is not negative. */
export function parseCount(name: string, text: string | undefined): number {
  const value = requireOption(name, text, "a whole number");
  const count = /^[0-9]+$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  throw new InvalidInputError(`${name} must be a whole number, got ${JSON.stringify(value)}.`);
}

/** A TCP port; 0 stands for any free one. */
export function parsePort(name: string, text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidInputError(`${name} must be a port from 0 to 65535, got ${JSON.stringify(text)}.`);
}

/** Reads an option where it was given. */
export function optional<T>(text: string | undefined, read: (text: string) => T): T | undefined {
  return text === undefined ? undefined : read(text);
}
