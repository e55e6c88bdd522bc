import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { deriveKey } from "@hardhat-identity/protocol/keys";
import type { StoreIdentity } from "../database/properties.ts";
import { createSeal } from "../database/seal.ts";
import type { AuditEntry, Head } from "./auditEntry.ts";

/** A row of the trail: the entries of one write. */
export interface AuditRow extends Head {
  /** Unix milliseconds. */
  readonly writtenAt: number;
  /** The encrypted entries, or a checkpoint's mark in their place. */
  readonly entries: string;
}

export type SequenceSeal = ReturnType<typeof createSequenceSeal>;

const checkpointMark = "removed.";

/**
 * Creates the seal of a trail, which makes and verifies the rows of sequences. A row's hash is an HMAC over its store, its
 * place, its time, its stored entries, and the hash of the row before. The keys come from the master secret, so that the
 * database alone is not enough to forge entries or hashes.
 */
export function createSequenceSeal(masterSecret: Uint8Array, store: Pick<StoreIdentity, "id" | "chainId">) {
  const seal = createSeal(deriveKey(masterSecret, "audit-entries"), "a1", store);
  const key = createSecretKey(deriveKey(masterSecret, "audit-chain"));
  const hash = (...parts: readonly (string | number)[]) =>
    createHmac("sha256", key)
      .update(JSON.stringify([store.id, store.chainId, ...parts]))
      .digest("hex");
  const hashRow = ({ writer, number, writtenAt, entries }: Omit<AuditRow, "hash">, previous: string) =>
    hash("row", writer, number, writtenAt, entries, previous);
  const markOf = (row: AuditRow) =>
    `${checkpointMark}${hash("removed", row.writer, row.number, row.writtenAt, row.hash)}`;

  return {
    /**
     * Makes the next row of a sequence.
     *
     * @param previous The hash of the row before; "" for a sequence's first row.
     */
    close(
      place: Omit<AuditRow, "hash" | "entries">,
      previous: string,
      entries: readonly AuditEntry[],
    ): AuditRow {
      const row = { ...place, entries: seal.close([place.writer, place.number], entries) };
      return { ...row, hash: hashRow(row, previous) };
    },
    /** Whether the row is authentic and follows the row with this hash. */
    follows: (row: AuditRow, previous: string) => isEqual(row.hash, hashRow(row, previous)),
    /**
     * Decrypts the entries. Throws if they are not those written in this row.
     *
     * @param part Returns no entries if none of them contains this text, in a part of the time.
     */
    open: ({ writer, number, entries }: AuditRow, part?: string) =>
      (seal.open([writer, number], entries, part) ?? []) as readonly AuditEntry[],
    /** Returns the row without its entries. It replaces the row and all rows before it once they are removed. */
    makeCheckpoint: (row: AuditRow): AuditRow => ({ ...row, entries: markOf(row) }),
    /** Whether the row is an authentic checkpoint of the row that it replaced. */
    isCheckpoint: (row: AuditRow) => looksLikeCheckpoint(row) && isEqual(row.entries, markOf(row)),
  };
}

/** Whether a row claims to be a checkpoint. */
export const looksLikeCheckpoint = ({ entries }: AuditRow): boolean => entries.startsWith(checkpointMark);

function isEqual(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
