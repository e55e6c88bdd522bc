import { hexToBytes } from "./bytes.ts";

/** As viem types it and ethers takes it. */
export type Hex = `0x${string}`;

/** An integer as JSON-RPC writes it. */
export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;

/** Whether a value is hex of whole bytes, with `0x`: of so many bytes, if a number is given. */
export const isHex = (value: unknown, bytes?: number): value is Hex =>
  typeof value === "string" &&
  /^0x(?:[0-9a-fA-F]{2})*$/.test(value) &&
  (bytes === undefined || value.length === 2 + 2 * bytes);

/**
 * The bytes of hex.
 *
 * @throws TypeError, which does not quote the text, when it is not whole bytes with `0x`.
 */
export function parseHex(text: string): Uint8Array {
  if (!isHex(text)) throw new TypeError("Expected hex of whole bytes with 0x.");
  return hexToBytes(text.slice(2));
}

/** The ends of an address or a hash, enough to tell it from others. */
export const shortenHex = (text: string): string => `${text.slice(0, 6)}…${text.slice(-4)}`;
