import type { BatchCall } from "@hardhat-identity/protocol/eip5792";
import { isHex, toQuantity } from "@hardhat-identity/protocol/hex";
import { checkAddress, invalidArgument } from "../internal/arguments.ts";

/** One call of a contract. */
export interface Call {
  /** The contract. */
  readonly to: string;
  /** Wei to send; 0 by default. */
  readonly value?: bigint | undefined;
  /** Call data, hex; see `encodeCall`. Empty by default. */
  readonly data?: string | undefined;
}

/**
 * Formats a call for JSON-RPC, always with a value: the specification of `wallet_sendCalls` requires it.
 *
 * @param path The prefix of the fields' names in errors, such as `calls[0].`.
 */
export function checkCall(path: string, { to, value = 0n, data = "0x" }: Call): BatchCall {
  if (typeof value !== "bigint" || value < 0n || value >= 1n << 256n) {
    throw invalidArgument(`${path}value`, "a bigint of wei", value);
  }
  if (!isHex(data)) throw invalidArgument(`${path}data`, "bytes as hex after 0x");
  return { to: checkAddress(`${path}to`, to), value: toQuantity(value), data };
}
