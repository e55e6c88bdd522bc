import type { Hex } from "../../protocol/hex.ts";
import type { Call } from "../calls/call.ts";
import { checkAddress } from "./checkAddress.ts";
import { invalidArgument } from "./invalidArgument.ts";
import { isHex } from "./isHex.ts";

/**
 * A call as JSON-RPC has it, its value always there: the specification of `wallet_sendCalls` requires it.
 *
 * @param path What precedes the fields' names in an error, such as `calls[0].`.
 */
export function checkCall(path: string, { to, value = 0n, data = "0x" }: Call) {
  if (typeof value !== "bigint" || value < 0n || value >= 1n << 256n) {
    throw invalidArgument(`${path}value`, "a bigint of wei", value);
  }
  if (!isHex(data)) throw invalidArgument(`${path}data`, "bytes as hex after 0x");
  return { to: checkAddress(`${path}to`, to), value: `0x${value.toString(16)}` satisfies Hex, data };
}
