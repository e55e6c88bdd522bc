import { getBytes } from "ethers";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { listMigrations } from "../database/migrations.ts";
import { withDatabase } from "../database/operateStore.ts";
import { checkMasterSecret } from "../database/properties.ts";
import type { AuditEntry } from "./auditEntry.ts";
import { type ChainSeal, createChainSeal, looksLikeCheckpoint } from "./chain.ts";
import { nameRow } from "./judgeRow.ts";
import { type AuditRows, openAuditRows } from "./rows.ts";
import { type TrailReport, verifyTrail } from "./verifyTrail.ts";

/** The location of an audit trail, and the secret to read it with. */
interface TrailLocation {
  readonly databaseUrl: string;
  /** 32 bytes hex. */
  readonly masterSecret: string;
}

/** An entry with its place in the trail. */
export type ListedEntry = AuditEntry & { readonly writer: string; readonly row: number };

/**
 * Verifies the audit trail of a store, which services may be using. Reports entries that were removed, altered, moved
 * or forged.
 *
 * @param options.heads Hashes of rows that were recorded outside the store, such as in the log.
 * @param options.onProgress Called with the number of rows verified so far and the number of all rows.
 * @throws InvalidInputError when the store cannot be opened with this secret, or has no trail.
 */
export function verifyAudit(
  options: TrailLocation & {
    readonly heads?: readonly string[];
    readonly onProgress?: (rows: number, of: number) => void;
  },
): Promise<TrailReport> {
  return withTrail(options, async (rows, seal) => {
    const { heads, onProgress } = options;
    const of = onProgress === undefined ? 0 : await rows.count();
    return verifyTrail(rows, seal, heads, (done) => onProgress?.(done, of));
  });
}

/**
 * Reads the audit trail of a store in order of time, without verifying it.
 *
 * @param options.since Unix milliseconds.
 * @param options.contract Selects the entries about this consumer; EIP-55 checksummed.
 * @param onEntry Called with one entry after the other.
 * @throws InvalidInputError as {@link verifyAudit} does, and when a row cannot be read.
 */
export function listAudit(
  options: TrailLocation & { readonly since?: number | undefined; readonly contract?: string | undefined },
  onEntry: (entry: ListedEntry) => void | Promise<void>,
): Promise<void> {
  const { since = 0, contract } = options;
  return withTrail(options, async (rows, seal) => {
    for await (const row of rows.readSince(since)) {
      if (looksLikeCheckpoint(row)) continue;
      for (const entry of openRow(row, seal)) {
        const isAsked = contract === undefined || ("consumer" in entry && entry.consumer === contract);
        if (isAsked) await onEntry({ ...entry, writer: row.writer, row: row.number });
      }
    }
  });
}

function openRow(row: Parameters<ChainSeal["open"]>[0], seal: ChainSeal): readonly AuditEntry[] {
  try {
    return seal.open(row);
  } catch {
    throw new InvalidInputError(`${nameRow(row)} was altered, moved or forged: verify the audit trail.`);
  }
}

function withTrail<T>(
  { databaseUrl, masterSecret }: TrailLocation,
  use: (rows: AuditRows, seal: ChainSeal) => Promise<T>,
): Promise<T> {
  const secret = getBytes(masterSecret);
  return withDatabase(databaseUrl, async ({ db }) => {
    const migrations = await listMigrations(db);
    if (migrations.some(({ ranAt }) => ranAt === undefined)) {
      throw new InvalidInputError(
        "The store has no audit trail yet: start the service, or run `identity-signer migrate`.",
      );
    }
    await checkMasterSecret(db, secret);
    return await use(openAuditRows(db), createChainSeal(secret));
  });
}
