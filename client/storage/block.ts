import type { Hex } from "../../protocol/hex.ts";
import { invalidArgument } from "../internal/invalidArgument.ts";

const tags = ["latest", "pending", "safe", "finalized", "earliest"] as const;

/** A block by number, hex without leading zeros, or by tag. */
export type Block = Hex | (typeof tags)[number];

/** Refuses what is neither a tag nor the hex number of a block. */
export function checkBlock(value: unknown): Block {
  const tag = tags.find((known) => known === value);
  if (tag !== undefined) return tag;
  // A JSON-RPC quantity; some nodes refuse leading zeros, and no block number is above 64 bits.
  if (typeof value === "string" && /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,15})$/.test(value)) {
    return value.toLowerCase() as Hex;
  }
  throw invalidArgument("block", `a hex block number such as 0x1b4, or one of ${tags.join(", ")}`, value);
}
