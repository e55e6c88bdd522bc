import { isAddress } from "../../protocol/address.ts";
import type { Hex } from "../../protocol/hex.ts";
import { WalletError } from "../errors.ts";

/** An object as it came over JSON-RPC. */
export type Fields = Readonly<Record<string, unknown>>;

/** Refuses a field: -32602 with its path, what is wanted and what came. */
export function refuse(path: string, wanted: string, got: unknown): never {
  throw new WalletError("invalidParams", `${path} must be ${wanted}, got ${describe(got)}.`);
}

/** What came, in few words. */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readFields(value: unknown, path: string): Fields {
  return isFields(value) ? value : refuse(path, "an object", value);
}

export function readText(value: unknown, path: string): string {
  return typeof value === "string" ? value : refuse(path, "a string", value);
}

export function readBoolean(value: unknown, path: string): boolean {
  return typeof value === "boolean" ? value : refuse(path, "true or false", value);
}

/** An address in any casing, as the specification's pattern has it; in lower case from here on. */
export function readAddress(value: unknown, path: string): string {
  return typeof value === "string" && isAddress(value)
    ? value.toLowerCase()
    : refuse(path, "an address, 0x and 40 hex digits", value);
}

/** A chain id as the specification writes it: hex, lower case, without leading zeros. */
export function readChainId(value: unknown, path: string): Hex {
  return typeof value === "string" && /^0x([1-9a-f]+[0-9a-f]*|0)$/.test(value)
    ? (value as Hex)
    : refuse(path, "a chain id, 0x and lower-case hex digits without leading zeros", value);
}

/** An integer in hex of at most so many bits. */
export function readInteger(value: unknown, path: string, bits: number): bigint {
  const integer = typeof value === "string" && /^0x[0-9a-fA-F]+$/.test(value) ? BigInt(value) : undefined;
  return integer !== undefined && integer < 1n << BigInt(bits)
    ? integer
    : refuse(path, `an integer of at most ${bits} bits, 0x and hex digits`, value);
}

/** Bytes in hex. */
export function readBytes(value: unknown, path: string): string {
  return typeof value === "string" && /^0x([0-9a-fA-F]{2})*$/.test(value)
    ? value
    : refuse(path, "bytes, 0x and an even number of hex digits", value);
}
