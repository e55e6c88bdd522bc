import type { Head } from "./auditEntry.ts";
import { beginning, findProblem, placeAfter } from "./judgeRow.ts";
import type { AuditRows } from "./rows.ts";
import type { AuditRow, SequenceSeal } from "./sequence.ts";

/** The greatest number of sequences recorded at once. Later sequences have recorded the earlier ones. */
const maxHeads = 500;

/** The greatest number of problems recorded at once. A single one is reason enough to verify the trail. */
const maxProblems = 10;

/**
 * Reads the end of every sequence. A sequence's last row is the one with the highest number that follows from the row before
 * it. Forged rows and forged dates therefore cannot hide a sequence.
 *
 * @returns The last valid row of each sequence, for the most recently written sequences; and problems of last rows.
 */
export async function findHeads(rows: Pick<AuditRows, "readEnds" | "readLast">, seal: SequenceSeal) {
  const found: { readonly head: Head; readonly writtenAt: number }[] = [];
  const problems: string[] = [];

  const keep = ({ writer, number, hash, writtenAt }: AuditRow) =>
    found.push({ head: { writer, number, hash }, writtenAt });

  async function look(end: readonly AuditRow[]): Promise<void> {
    const [last, before] = end.toReversed();
    if (last === undefined) return;
    const problem = findProblemAtEnd(last, before, seal);
    if (problem === undefined) {
      keep(last);
      return;
    }
    problems.push(problem);
    const latest = await rows.readLast(last.writer);
    const held = latest.find((row, i) => findProblemAtEnd(row, latest[i + 1], seal) === undefined);
    if (held !== undefined) keep(held);
  }

  let after = "";
  for (;;) {
    const page = await rows.readEnds(after);
    const writers = [...new Set(page.map(({ writer }) => writer))];
    for (const writer of writers) await look(page.filter((row) => row.writer === writer));
    const last = writers.at(-1);
    if (last === undefined) break;
    after = last;
  }
  const newest = found.sort((one, other) => other.writtenAt - one.writtenAt).slice(0, maxHeads);
  return { heads: newest.map(({ head }) => head), problems: problems.slice(0, maxProblems) };
}

function findProblemAtEnd(
  row: AuditRow,
  before: AuditRow | undefined,
  seal: SequenceSeal,
): string | undefined {
  return findProblem(row, before === undefined ? beginning : placeAfter(before), seal);
}
