import type { Head } from "./auditEntry.ts";
import type { AuditRow, ChainSeal } from "./chain.ts";
import { beginning, findProblem, placeAfter } from "./judgeRow.ts";
import type { AuditRows } from "./rows.ts";

/** The ends of chains, as one process sees them. */
export interface Heads {
  /** The last row of each chain that holds, of the chains that wrote last. */
  readonly heads: readonly Head[];
  /** What is wrong with the last rows of chains. */
  readonly problems: readonly string[];
}

/** Chains that are taken note of at once, at most; those before were seen by those that came after them. */
const mostHeads = 500;

/** And problems: one tells enough. */
const mostProblems = 10;

/**
 * Looks at the end of every chain. Neither a row that somebody else has made up nor a date that somebody else has
 * written decides which chains are seen: a chain's last row is the one with the highest number that follows from the
 * one before.
 */
export async function findHeads(
  rows: Pick<AuditRows, "readEnds" | "readLast">,
  seal: ChainSeal,
): Promise<Heads> {
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
  const newest = found.sort((one, other) => other.writtenAt - one.writtenAt).slice(0, mostHeads);
  return {
    heads: newest.map(({ head }) => head),
    problems: problems.slice(0, mostProblems),
  };
}

function findProblemAtEnd(row: AuditRow, before: AuditRow | undefined, seal: ChainSeal): string | undefined {
  return findProblem(row, before === undefined ? beginning : placeAfter(before), seal);
}
