import { checksumAddress, hasValidCasing, isAddress } from "../../protocol/address.ts";
import type { Hex } from "../../protocol/hex.ts";
import { invalidArgument } from "./invalidArgument.ts";

/** An address to which something is bound or sent: 20 bytes, its EIP-55 checksum right where it has one. */
export function checkAddress(argument: string, value: unknown): Hex {
  if (typeof value !== "string" || !isAddress(value)) {
    throw invalidArgument(argument, "an address (0x and 40 hex digits)", value);
  }
  if (!hasValidCasing(value)) throw invalidArgument(argument, "an address with its EIP-55 checksum", value);
  return checksumAddress(value) as Hex;
}
