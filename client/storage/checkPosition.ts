import type { Hex } from "../../protocol/hex.ts";
import { invalidArgument } from "../internal/invalidArgument.ts";

/** A slot, padded to 32 bytes, which every node takes. */
export function checkPosition(argument: string, value: unknown): Hex {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) {
    throw invalidArgument(argument, "a hex integer of up to 32 bytes, such as 0x5", value);
  }
  return `0x${value.slice(2).toLowerCase().padStart(64, "0")}`;
}
