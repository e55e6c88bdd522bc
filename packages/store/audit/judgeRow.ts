import type { Head } from "./auditEntry.ts";
import { type AuditRow, looksLikeCheckpoint, type SequenceSeal } from "./sequence.ts";

/** The place of a sequence's next row. */
export interface Place {
  /** The number of the next row. */
  readonly next: number;
  /** The hash of the row before; "" if there is none. */
  readonly hash: string;
}

export const beginning: Place = { next: 0, hash: "" };

export const placeAfter = ({ number, hash }: Head): Place => ({ next: number + 1, hash });

/** Describes the problem of a row at a place; `undefined` if valid. Only then are its number and time reliable. */
export function findProblem(row: AuditRow, { next, hash }: Place, seal: SequenceSeal): string | undefined {
  if (looksLikeCheckpoint(row)) {
    // The rows before were removed as too old, even if some of them are still there.
    if (seal.isCheckpoint(row)) return undefined;
    return `${nameRow(row)} says that older rows were removed as too old; that is forged.`;
  }
  if (Number.isInteger(row.number) && row.number > next) {
    const gap = row.number - 1 === next ? `row ${next} is` : `rows ${next} to ${row.number - 1} are`;
    return `${nameRow(row)}: before it, ${gap} missing.`;
  }
  if (row.number === next && seal.follows(row, hash)) return undefined;
  return `${nameRow(row)} is not what was written there, or not after the row before: one of them was altered, moved or forged.`;
}

/** Names a row in a message. A sequence's name in another format than ours is quoted, because it may contain anything. */
export const nameRow = ({ writer, number }: Pick<Head, "writer" | "number">): string =>
  `Row ${number} of sequence ${/^[0-9a-f]{32}$/.test(writer) ? writer : JSON.stringify(writer.slice(0, 64))}`;
