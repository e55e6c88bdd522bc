import { isAddress } from "./address.ts";
import { bytesToHex, utf8ToBytes } from "./bytes.ts";

/** An unsigned integer as the ABI encodes it: 64 hex digits, without `0x`. */
export function uintWord(value: bigint | number, bits = 256): string {
  const integer = BigInt(value);
  if (BigInt.asUintN(bits, integer) !== integer) throw new RangeError(`${value} is no uint${bits}.`);
  return integer.toString(16).padStart(64, "0");
}

/** An address, in any casing, as the ABI encodes it: 64 hex digits, without `0x`. */
export function addressWord(address: string): string {
  if (!isAddress(address)) throw new TypeError(`${JSON.stringify(address)} is no address.`);
  return address.slice(2).toLowerCase().padStart(64, "0");
}

/** 32 bytes of hex as the ABI encodes them: 64 hex digits, without `0x`. */
export function bytes32Word(bytes: string): string {
  if (!/^0x[0-9a-fA-F]{64}$/.test(bytes)) throw new TypeError("Expected 32 bytes of hex with 0x.");
  return bytes.slice(2);
}

/** A value as the ABI encodes it: hex digits without `0x`, whole words. */
export interface EncodedValue {
  /** Whether the head holds an offset to it. */
  readonly dynamic: boolean;
  readonly hex: string;
}

/** Values as a tuple: heads first, then the data that offsets point to. */
export function encodeSequence(values: readonly EncodedValue[]): EncodedValue {
  const headBytes = values.reduce((sum, { dynamic, hex }) => sum + (dynamic ? 32 : hex.length / 2), 0);
  let heads = "";
  let tails = "";
  for (const { dynamic, hex } of values) {
    heads += dynamic ? uintWord(headBytes + tails.length / 2) : hex;
    if (dynamic) tails += hex;
  }
  return { dynamic: values.some(({ dynamic }) => dynamic), hex: heads + tails };
}

/** An array of dynamic length. */
export const encodeArray = (items: readonly EncodedValue[]): EncodedValue => ({
  dynamic: true,
  hex: uintWord(items.length) + encodeSequence(items).hex,
});

/** The content of `bytes` or `string`, hex digits without `0x`. */
export const encodeBytes = (digits: string): EncodedValue => ({
  dynamic: true,
  hex: uintWord(digits.length / 2) + padRight(digits),
});

/** A `string`. Throws if it has half of a surrogate pair, which UTF-8 cannot encode. */
export function encodeString(text: string): EncodedValue {
  if (/\p{Surrogate}/u.test(text)) throw new TypeError("The text has half of a surrogate pair.");
  return encodeBytes(bytesToHex(utf8ToBytes(text)));
}

/** Hex digits, padded to whole words. */
export const padRight = (digits: string): string => digits.padEnd(Math.ceil(digits.length / 64) * 64, "0");
