import type { Head } from "./auditEntry.ts";
import { type AuditRow, type ChainSeal, looksLikeCheckpoint } from "./chain.ts";

/** Where a chain goes on. */
export interface Place {
  /** Of the row that comes next. */
  readonly next: number;
  /** Of the row before; "" where there is none. */
  readonly hash: string;
}

export const beginning: Place = { next: 0, hash: "" };

export const placeAfter = ({ number, hash }: Head): Place => ({ next: number + 1, hash });

/** Says what is wrong with a row that stands at a place. Its number and its time can be believed only where nothing is. */
export function findProblem(row: AuditRow, { next, hash }: Place, seal: ChainSeal): string | undefined {
  if (looksLikeCheckpoint(row)) {
    // What came before was removed as too old, whatever is left of it.
    if (seal.isCheckpoint(row)) return undefined;
    return `${nameRow(row)} says that older rows were removed as too old; that is forged.`;
  }
  if (row.number !== next) {
    const gap = row.number - 1 === next ? `row ${next} is` : `rows ${next} to ${row.number - 1} are`;
    return `${nameRow(row)}: before it, ${gap} missing.`;
  }
  if (seal.follows(row, hash)) return undefined;
  return `${nameRow(row)} is not what was written there, or not after the row before: one of them was altered, moved or forged.`;
}

/** A chain whose name is none of ours is quoted: it may hold anything. */
export const nameRow = ({ writer, number }: Pick<Head, "writer" | "number">): string =>
  `Row ${number} of chain ${/^[0-9a-f]{32}$/.test(writer) ? writer : JSON.stringify(writer.slice(0, 64))}`;
