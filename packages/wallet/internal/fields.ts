import { isAddress } from "@hardhat-identity/protocol/address";
import { describeValue } from "@hardhat-identity/protocol/describeValue";
import { type Hex, isHex } from "@hardhat-identity/protocol/hex";
import { isObject } from "@hardhat-identity/protocol/json";
import { WalletError } from "../errors.ts";

/** An object from JSON-RPC, not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Refuses a field with -32602, its path, the expected type and the value. */
export function refuse(path: string, wanted: string, got: unknown): never {
  throw new WalletError("invalidParams", `${path} must be ${wanted}, got ${describeValue(got)}.`);
}

export function readFields(value: unknown, path: string): Fields {
  return isObject(value) ? value : refuse(path, "an object", value);
}

export function readText(value: unknown, path: string): string {
  return typeof value === "string" ? value : refuse(path, "a string", value);
}

export function readBoolean(value: unknown, path: string): boolean {
  return typeof value === "boolean" ? value : refuse(path, "true or false", value);
}

/** Reads an address in any casing, as the specification's pattern allows. Returns it in lower case. */
export function readAddress(value: unknown, path: string): string {
  return typeof value === "string" && isAddress(value)
    ? value.toLowerCase()
    : refuse(path, "an address, 0x and 40 hex digits", value);
}

/** Reads a chain id in the specification's format: lower-case hex without leading zeros. */
export function readChainId(value: unknown, path: string): Hex {
  return typeof value === "string" && /^0x([1-9a-f]+[0-9a-f]*|0)$/.test(value)
    ? (value as Hex)
    : refuse(path, "a chain id, 0x and lower-case hex digits without leading zeros", value);
}

/** Reads a hex integer of at most the given number of bits. */
export function readInteger(value: unknown, path: string, bits: number): bigint {
  const integer = typeof value === "string" && /^0x[0-9a-fA-F]+$/.test(value) ? BigInt(value) : undefined;
  return integer !== undefined && integer < 1n << BigInt(bits)
    ? integer
    : refuse(path, `an integer of at most ${bits} bits, 0x and hex digits`, value);
}

/** Reads bytes in hex. */
export function readBytes(value: unknown, path: string): string {
  return isHex(value) ? value : refuse(path, "bytes, 0x and an even number of hex digits", value);
}
