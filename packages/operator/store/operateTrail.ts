import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { parseHex } from "@hardhat-identity/protocol/hex";
import type { AuditEntry } from "@hardhat-identity/store/audit/auditEntry";
import { nameRow } from "@hardhat-identity/store/audit/judgeRow";
import { type AuditRows, openAuditRows } from "@hardhat-identity/store/audit/rows";
import {
  type AuditRow,
  createSequenceSeal,
  looksLikeCheckpoint,
  type SequenceSeal,
} from "@hardhat-identity/store/audit/sequence";
import type { Database } from "@hardhat-identity/store/database/database";
import { withExistingStore } from "@hardhat-identity/store/database/operateStore";
import type { StoreAccess } from "@hardhat-identity/store/database/properties";
import { sql } from "kysely";
import { type TrailReport, verifyTrail } from "./verifyTrail.ts";

/** An entry with its place in the trail. */
export type ListedEntry = AuditEntry & { readonly writer: string; readonly row: number };

/**
 * Verifies the audit trail of a store, which services may be using. Reports entries that were removed, altered, moved
 * or forged.
 *
 * @param options.heads Hashes of rows that were recorded outside the store, such as in the log.
 * @param options.onProgress Called with the number of rows verified so far.
 * @throws InvalidInputError when the store cannot be opened with this secret, or has no trail.
 */
export function verifyAudit(
  options: StoreAccess & {
    readonly heads?: readonly string[];
    readonly onProgress?: (rows: number) => void;
  },
): Promise<TrailReport> {
  const { heads, onProgress } = options;
  return withTrail(options, (rows, seal) => verifyTrail(rows, seal, heads, onProgress));
}

/**
 * Reads the audit trail of a store in order of time, without verifying it.
 *
 * @param options.since Unix milliseconds; `until` is the last one.
 * @param options.contract Selects the entries about this consumer; EIP-55 checksummed.
 * @param options.mustBeNew Whether to refuse a database that may lack the newest entries.
 * @param options.onRemoved Called where entries of that time were removed as too old.
 * @param onEntry Called with one entry after the other.
 * @param onProblem Called with the problem of each row that cannot be read.
 * @throws InvalidInputError as {@link verifyAudit} does.
 */
export function listAudit(
  options: StoreAccess & {
    readonly since?: number | undefined;
    readonly until?: number;
    readonly contract?: string | undefined;
    readonly mustBeNew?: boolean;
    readonly onRemoved?: () => void;
  },
  onEntry: (entry: ListedEntry) => void | Promise<void>,
  onProblem: (problem: string) => void,
): Promise<void> {
  const { since = 0, until = Number.POSITIVE_INFINITY, contract, onRemoved } = options;
  return withTrail(options, async (rows, seal) => {
    for await (const page of rows.readSince(since)) {
      for (const row of page) {
        if (row.writtenAt > until) return;
        if (looksLikeCheckpoint(row)) {
          onRemoved?.();
          continue;
        }
        for (const entry of openRow(row, contract, seal, onProblem)) {
          const isAsked = contract === undefined || ("consumer" in entry && entry.consumer === contract);
          if (isAsked) await onEntry({ ...entry, writer: row.writer, row: row.number });
        }
      }
    }
  });
}

function openRow(
  row: AuditRow,
  contract: string | undefined,
  seal: SequenceSeal,
  onProblem: (problem: string) => void,
): readonly AuditEntry[] {
  try {
    return seal.open(row, contract);
  } catch {
    onProblem(`${nameRow(row)} was altered, moved or forged, and is left out: verify the audit trail.`);
    return [];
  }
}

function withTrail<T>(
  options: StoreAccess & { readonly mustBeNew?: boolean },
  use: (rows: AuditRows, seal: SequenceSeal) => Promise<T>,
): Promise<T> {
  return withExistingStore(options, "read", async ({ database, identity }) => {
    if (options.mustBeNew) await refuseStandby(database);
    const seal = createSequenceSeal(parseHex(options.masterSecret), identity);
    return await use(openAuditRows(database), seal);
  });
}

/** Refuses a standby of PostgreSQL, which may lack what its primary has acknowledged. */
async function refuseStandby({ engine, db }: Database): Promise<void> {
  if (engine === "sqlite") return;
  const { rows } = await sql<{ is: boolean }>`select pg_is_in_recovery() as "is"`.execute(db);
  if (rows[0]?.is !== false) {
    throw new InvalidInputError(
      "The database (IDENTITY_DATABASE_URL) is a standby, which may lack the newest entries of the audit trail: name the primary.",
    );
  }
}
