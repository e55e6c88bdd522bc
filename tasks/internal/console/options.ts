import { optional, parsePort, requireOption } from "@hardhat-identity/console/options";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { parseObjectLosslessly } from "@hardhat-identity/protocol/json";
import { isHexString } from "ethers";

/** Reads hex of a given length in bytes, or of any length. */
export function parseHex(name: string, text: string | undefined, bytes?: number): Hex {
  const wanted = `${bytes === undefined ? "hex with an even number of digits" : `${bytes} bytes as hex`} after 0x`;
  const value = requireOption(name, text, wanted);
  if (isHexString(value, bytes ?? true)) return value as Hex;
  throw new InvalidInputError(`${name} must be ${wanted}, got ${JSON.stringify(value)}.`);
}

/** A whole number of 256 bits that is not negative, decimal or hex, such as an amount in wei. */
export function parseQuantity(name: string, text: string): bigint {
  const got = `got ${JSON.stringify(text)}.`;
  if (!/^(\d+|0x[0-9a-fA-F]+)$/.test(text)) {
    throw new InvalidInputError(`${name} must be a whole number, decimal or hex, ${got}`);
  }
  const quantity = BigInt(text);
  if (quantity >= 1n << 256n) throw new InvalidInputError(`${name} must fit into 256 bits, ${got}`);
  return quantity;
}

/** Reads a TCP port; returns `undefined` if it was not given. */
export const optionalPort = (name: string, text: string | undefined): number | undefined =>
  optional(text, (given) => parsePort(name, given));

/** An integer of any size, or another number, as JSON has it. */
export const readJsonNumber = (source: string): bigint | number =>
  /^-?\d+$/.test(source) ? BigInt(source) : Number(source);

/** A JSON object; its integers are read without loss. */
export function parseArguments(name: string, text: string | undefined): Record<string, unknown> {
  const parsed = parseObjectLosslessly(text ?? "{}", readJsonNumber);
  if (parsed !== undefined) return parsed;
  throw new InvalidInputError(`${name} must be a JSON object such as {"amount":25}, got ${text}.`);
}
