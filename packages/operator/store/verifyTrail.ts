import type { AuditEntry, Head } from "@hardhat-identity/store/audit/auditEntry";
import {
  beginning,
  findProblem,
  nameRow,
  type Place,
  placeAfter,
} from "@hardhat-identity/store/audit/judgeRow";
import type { AuditRows } from "@hardhat-identity/store/audit/rows";
import {
  type AuditRow,
  looksLikeCheckpoint,
  type SequenceSeal,
} from "@hardhat-identity/store/audit/sequence";

/** The result of a verification of a trail. */
export interface TrailReport {
  readonly rows: number;
  readonly entries: number;
  readonly sequences: number;
  /** The rows that were removed as too old, and the time of the youngest, unix milliseconds; `undefined` if none was. */
  readonly removed: { readonly rows: number; readonly youngest: number } | undefined;
  /** The problems, each with its row. None of them arises in normal operation. */
  readonly problems: readonly string[];
  /** Sequences without an end: their process runs, or was killed, or their last rows were removed. */
  readonly openSequences: readonly Head[];
}

/** A sequence, as far as it was read. */
interface Reading {
  readonly writer: string;
  place: Place;
  hasEnded: boolean;
}

/**
 * Verifies every row of a trail. Its memory grows with the number of sequences and problems, not with the number of rows.
 *
 * @param wanted Hashes of rows that were recorded outside the database. Each must be there.
 * @param onProgress Called after each row with the number of rows verified so far.
 */
export async function verifyTrail(
  rows: AuditRows,
  seal: SequenceSeal,
  wanted: readonly string[] = [],
  onProgress: (rows: number) => void = () => undefined,
): Promise<TrailReport> {
  const problems: string[] = [];
  const told: string[] = [];
  const openSequences: Head[] = [];
  const seen = new Map<string, Head>();
  const missing = new Set(wanted.map((hash) => hash.toLowerCase()));
  let counted = { rows: 0, entries: 0, sequences: 0 };
  let removed: TrailReport["removed"];
  let sequence: Reading | undefined;

  function endSequence(): void {
    if (sequence === undefined || sequence.hasEnded) return;
    openSequences.push({
      writer: sequence.writer,
      number: sequence.place.next - 1,
      hash: sequence.place.hash,
    });
  }

  function look(row: AuditRow): void {
    if (sequence?.writer !== row.writer) {
      endSequence();
      sequence = { writer: row.writer, place: beginning, hasEnded: false };
      counted = { ...counted, sequences: counted.sequences + 1 };
    }
    const problem = findProblem(row, sequence.place, seal);
    if (problem === undefined) missing.delete(row.hash);
    else problems.push(problem);
    const entries = problem === undefined && !looksLikeCheckpoint(row) ? seal.open(row) : [];
    sequence.place = placeAfter(row);
    sequence.hasEnded = looksLikeCheckpoint(row) || entries.some(({ event }) => event === "sequence-ended");
    if (problem === undefined && looksLikeCheckpoint(row)) {
      const rows = (removed?.rows ?? 0) + row.number + 1;
      removed = { rows, youngest: Math.max(removed?.youngest ?? 0, row.writtenAt) };
    }
    note(seen, entries);
    told.push(...tellSeen(row, entries));
    counted = { ...counted, rows: counted.rows + 1, entries: counted.entries + entries.length };
    onProgress(counted.rows);
  }

  for await (const page of rows.readSequences()) page.forEach(look);
  endSequence();
  problems.push(...told);
  for (const head of seen.values()) {
    if (!(await isThere(rows, seal, head))) {
      problems.push(
        `${nameRow(head)} is missing: another sequence has seen it. It was removed, with all after it.`,
      );
    }
  }
  if (counted.rows === 0)
    problems.push("There is no row: nothing was ever entered, or everything was removed.");
  for (const hash of missing) problems.push(`No row has the hash ${hash}.`);
  return { ...counted, removed, problems, openSequences };
}

/** Describes the problems of other sequences that a row recorded, even if they are gone now. */
function tellSeen(row: AuditRow, entries: readonly AuditEntry[]): string[] {
  const seen = entries.flatMap((entry) => (entry.event === "sequences-seen" ? (entry.problems ?? []) : []));
  return seen.map((problem) => `${nameRow(row)} recorded a problem of another sequence: ${problem}`);
}

/** Keeps the newest row of each sequence that entries have seen. */
function note(seen: Map<string, Head>, entries: readonly AuditEntry[]): void {
  for (const entry of entries) {
    if (entry.event !== "sequences-seen") continue;
    for (const head of entry.heads) {
      if (head.number > (seen.get(head.writer)?.number ?? -1)) seen.set(head.writer, head);
    }
  }
}

/** Whether the row is there, or was removed as too old. */
async function isThere(rows: AuditRows, seal: SequenceSeal, head: Head): Promise<boolean> {
  const row = await rows.findFrom(head.writer, head.number);
  if (row === undefined) return false;
  return row.number === head.number ? row.hash === head.hash : seal.isCheckpoint(row);
}
