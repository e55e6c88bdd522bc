import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { deriveKey } from "../../../protocol/keys.ts";
import { createSeal } from "../database/seal.ts";
import type { AuditEntry, Head } from "./auditEntry.ts";

/** A row of the trail: entries that were written at once. */
export interface AuditRow extends Head {
  /** Unix milliseconds. */
  readonly writtenAt: number;
  /** Encrypted; or what a checkpoint has in their place. */
  readonly entries: string;
}

/** Makes and judges the rows of chains. Whoever lacks the master secret can do neither. */
export interface ChainSeal {
  /**
   * The row that comes after another one.
   *
   * @param previous The hash of that one; "" for a chain's first row.
   */
  close(
    place: Omit<AuditRow, "hash" | "entries">,
    previous: string,
    entries: readonly AuditEntry[],
  ): AuditRow;
  /** Whether the row is as it was made, after the row with that hash. */
  follows(row: AuditRow, previous: string): boolean;
  /** Throws when the entries are not what was written in this row. */
  open(row: AuditRow): readonly AuditEntry[];
  /** The row without its entries: what stands in its place, and in that of all before it, once they are removed. */
  makeCheckpoint(row: AuditRow): AuditRow;
  /** Whether it is a checkpoint that was made from the row that was there. */
  isCheckpoint(row: AuditRow): boolean;
}

const checkpointMark = "removed.";

/**
 * A row's hash is an HMAC over its place, its time, its entries as they are stored, and the hash of the row before.
 * The keys come from the master secret: neither entries nor hashes can be made from the database alone.
 */
export function createChainSeal(masterSecret: Uint8Array): ChainSeal {
  const seal = createSeal(deriveKey(masterSecret, "audit-entries"), "a1");
  const key = createSecretKey(deriveKey(masterSecret, "audit-chain"));
  const hash = (...parts: readonly (string | number)[]) =>
    createHmac("sha256", key).update(JSON.stringify(parts)).digest("hex");
  const hashRow = ({ writer, number, writtenAt, entries }: Omit<AuditRow, "hash">, previous: string) =>
    hash("row", writer, number, writtenAt, entries, previous);
  const markOf = (row: AuditRow) =>
    `${checkpointMark}${hash("removed", row.writer, row.number, row.writtenAt, row.hash)}`;

  return {
    close(place, previous, entries) {
      const row = { ...place, entries: seal.close([place.writer, place.number], entries) };
      return { ...row, hash: hashRow(row, previous) };
    },
    follows: (row, previous) => isEqual(row.hash, hashRow(row, previous)),
    open: ({ writer, number, entries }) => seal.open([writer, number], entries) as readonly AuditEntry[],
    makeCheckpoint: (row) => ({ ...row, entries: markOf(row) }),
    isCheckpoint: (row) => looksLikeCheckpoint(row) && isEqual(row.entries, markOf(row)),
  };
}

/** Whether it says that it is one. */
export const looksLikeCheckpoint = ({ entries }: AuditRow): boolean => entries.startsWith(checkpointMark);

function isEqual(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
