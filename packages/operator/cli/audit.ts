import { optional } from "@hardhat-identity/console/options";
import { plural } from "@hardhat-identity/console/plural";
import { print, printError, visibleLine } from "@hardhat-identity/console/print";
import { showProgress } from "@hardhat-identity/console/progress";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { withReadableErrors } from "../operations/withStore.ts";
import { type ListedEntry, listAudit, verifyAudit } from "../store/operateTrail.ts";
import type { TrailReport } from "../store/verifyTrail.ts";
import { readTime } from "./readTime.ts";
import { readStoreOptions } from "./serviceStore.ts";

export async function list({
  since,
  contract,
  json = false,
}: {
  since?: string;
  contract?: string;
  json?: boolean;
}): Promise<number> {
  const filter = {
    since: optional(since, (text) => readTime("--since", text)),
    contract: optional(contract, (text) => parseAddress("--contract", text)),
  };
  const show = json ? (entry: ListedEntry) => JSON.stringify(toJson(entry)) : describeEntry;
  await withReadableErrors(() =>
    listAudit(
      { ...readStoreOptions(), ...filter },
      (entry) => printAndWait(show(entry)),
      (problem) => {
        printError(problem);
        // Set here, because the reader of the list may close the pipe before its end.
        process.exitCode = 1;
      },
    ),
  );
  return Number(process.exitCode ?? 0);
}

export async function verify({
  head: heads = [],
  json = false,
}: {
  head?: string[];
  json?: boolean;
}): Promise<number> {
  for (const hash of heads) {
    if (/^[0-9a-fA-F]{64}$/.test(hash)) continue;
    throw new InvalidInputError(`--head must be 64 hex digits, got ${JSON.stringify(hash)}.`);
  }
  const report = await withReadableErrors(() =>
    verifyAudit({
      ...readStoreOptions(),
      heads,
      onProgress: showProgress((rows: number) => `Verified ${plural(rows, "row")} so far.`),
    }),
  );
  print(json ? JSON.stringify({ ...report, heads: heads.length }) : describeReport(report));
  if (heads.length === 0) printError(noHead);
  return report.problems.length === 0 ? 0 : 1;
}

/** The warning for a trail that was verified without `--head`. */
const noHead =
  'Without --head, removed rows that no other sequence has recorded go unnoticed. Pass the newest hash that the services logged with "The audit trail\'s last row.".';

function describeReport({ rows, entries, sequences, removed, problems, openSequences }: TrailReport): string {
  return [
    ...describeOpen(openSequences),
    ...(removed === undefined
      ? []
      : [
          `${plural(removed.rows, "row")} ${removed.rows === 1 ? "was" : "were"} removed as too old, the youngest of ${new Date(removed.youngest).toISOString()}.`,
        ]),
    ...problems.map(visibleLine),
    `${entries} ${entries === 1 ? "entry" : "entries"} in ${plural(rows, "row")} of ${plural(sequences, "sequence")}: ${problems.length === 0 ? "nothing is wrong" : plural(problems.length, "problem")}.`,
  ].join("\n");
}

/** One line for all, because a hundred lines of killed processes would hide the real problems. */
function describeOpen([first, ...others]: TrailReport["openSequences"]): string[] {
  if (first === undefined) return [];
  if (others.length === 0) {
    return [
      `Sequence ${visibleLine(first.writer)} has no end: after its row ${first.number} its process runs, was killed, or lost its last rows.`,
    ];
  }
  return [
    `${others.length + 1} sequences have no end: their processes run, were killed, or lost their last rows. --json lists them as openSequences.`,
  ];
}

const toJson = ({ at, ...entry }: ListedEntry) => ({ time: new Date(at).toISOString(), ...entry });

function describeEntry({ at, event, writer: _writer, row: _row, ...rest }: ListedEntry): string {
  const facts = Object.entries(rest).map(([name, value]) => {
    // Only `verify` needs the ends of up to 500 sequences; --json has them.
    if (name === "heads" && Array.isArray(value)) return `${value.length} heads`;
    return `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`;
  });
  return [new Date(at).toISOString(), event, ...facts].join("  ");
}

/** Prints a line and waits while the reader's pipe is full. */
async function printAndWait(line: string): Promise<void> {
  if (process.stdout.write(`${visibleLine(line)}\n`)) return;
  await new Promise((resolve) => process.stdout.once("drain", resolve));
}
