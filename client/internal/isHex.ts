import type { Hex } from "../../protocol/hex.ts";

/** Whether a value is whole bytes as hex after `0x`; of a given number of bytes, or of any. */
export function isHex(value: unknown, bytes?: number): value is Hex {
  return (
    typeof value === "string" &&
    /^0x(?:[0-9a-f]{2})*$/i.test(value) &&
    (bytes === undefined || value.length === 2 + 2 * bytes)
  );
}
