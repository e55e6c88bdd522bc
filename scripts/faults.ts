// `npm run faults`: puts each fault of test/faults/ into a copy of the repository, one at a time, and runs the tests
// that must notice it. A fault fails if no test notices it, or if its text is no longer in its file.
//
//   npm run faults                           all faults
//   npm run faults -- <pattern>              faults with the pattern in file, tests or description
//   npm run faults -- --changed              faults whose file or tests changed since the branch began
//   npm run faults -- --mutants [pattern]    mutants of the files of test/faults/targets.ts with the pattern in their path
//   npm run faults -- --write [pattern]      faults and mutants of these files; docs/auditors.md gets the figures
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Fault } from "../test/faults/fault.ts";
import { type Target, targets } from "../test/faults/targets.ts";
import { readFaults, selectChanged, selectMatching } from "./faults/chooseFaults.ts";
import { copyRepository } from "./faults/copyRepository.ts";
import { type Mutant, makeMutants } from "./faults/mutant.ts";
import { type FileRecord, writeRecords } from "./faults/record.ts";
import { TestsInCopy } from "./faults/runTests.ts";
import { type Copy, tryFault, tryMutant, type Verdict } from "./faults/tryChange.ts";
import { readArguments } from "./readArguments.ts";
import { type Outcome, since } from "./test/outcome.ts";
import { stopOnSignals } from "./test/processes.ts";
import { printFailures, printLine } from "./test/summary.ts";

const { values: options, positionals: patterns } = readArguments(import.meta.filename, {
  allowPositionals: true,
  options: { changed: { type: "boolean" }, mutants: { type: "boolean" }, write: { type: "boolean" } },
});
stopOnSignals();
const began = performance.now();
const root = resolve(import.meta.dirname, "..");
// Short, as a test run's own folder may be around it: the path of a browser's socket has at most 107 bytes.
const temporary = mkdtempSync(join(tmpdir(), "faults-"));
process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));
const temporaryOfTests = join(temporary, "t");
mkdirSync(temporaryOfTests);

const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

/** A fault or a mutant of a file, to be tried in a copy of the repository. */
interface Attempt {
  readonly file: string;
  readonly title: string;
  readonly mutant?: Mutant;
  readonly try: (copy: Copy) => Promise<Verdict>;
}

/** A fault or a mutant, and what became of it. */
interface Result {
  readonly attempt: Attempt;
  readonly verdict: Verdict;
  readonly outcome: Outcome;
}

const chosen = targets.filter(
  ({ file }) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)),
);

/** Selects the faults that were asked for. */
async function selectFaults(): Promise<Fault[]> {
  const all = await readFaults(root);
  if (options.write) return all.filter(({ file }) => chosen.some((target) => target.file === file));
  if (options.mutants) return [];
  return selectMatching(patterns, options.changed ? selectChanged(root, all) : all);
}

const planFault = (fault: Fault): Attempt => ({
  file: fault.file,
  title: `${fault.file}: ${fault.what}`,
  try: (copy) => tryFault(fault, copy),
});

function planMutants({ file, tests }: Target): Attempt[] {
  const nearest = tests.flatMap((pattern) => globSync(pattern, { cwd: root }).sort());
  return makeMutants(file, readFileSync(join(root, file), "utf8")).map((mutant) => ({
    file,
    title: `${file}:${mutant.line}: ${mutant.from} → ${mutant.to}`,
    mutant,
    try: (copy) => tryMutant(mutant, nearest, copy),
  }));
}

function makeCopy(worker: number): Copy {
  const folder = join(temporary, String(worker));
  copyRepository(root, folder);
  return { folder, tests: new TestsInCopy(folder, temporaryOfTests) };
}

async function work(copy: Copy, queue: Attempt[]): Promise<Result[]> {
  const results: Result[] = [];
  for (let attempt = queue.shift(); attempt !== undefined; attempt = queue.shift()) {
    const start = performance.now();
    const verdict = await attempt
      .try(copy)
      .catch((error: Error): Verdict => ({ kind: "unnoticed", reason: error.message }));
    const outcome = outcomeOf(attempt.title, verdict);
    results.push({ attempt, verdict, outcome });
    printLine(attempt.title, [outcome], performance.now() - start);
  }
  return results;
}

function outcomeOf(title: string, verdict: Verdict): Outcome {
  switch (verdict.kind) {
    case "noticed":
    case "not compiled":
      return { file: "", title, state: "passed" };
    case "explained": {
      const problem = "No test notices it, as test/faults/survivors.ts explains.";
      return { file: "", title, state: "failed", problem };
    }
    case "unnoticed":
      return { file: "", title, state: "failed", problem: verdict.reason };
  }
}

/** Tries everything, in all copies at once. */
async function tryAll(attempts: readonly Attempt[], copies: readonly Copy[]): Promise<Result[]> {
  const queue = [...attempts];
  return (await Promise.all(copies.map((copy) => work(copy, queue)))).flat();
}

/** Tries what there is of each file, and writes its record as soon as all of it was tried. */
async function tryAndRecord(attempts: readonly Attempt[], copies: readonly Copy[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const target of chosen) {
    const own = await tryAll(
      attempts.filter(({ file }) => file === target.file),
      copies,
    );
    await writeRecords({ [target.file]: recordOf(own) });
    results.push(...own);
  }
  return results;
}

/** Counts the results of a file. A mutant that does not compile was not tried. */
function recordOf(results: readonly Result[]): FileRecord {
  const own = results.filter(({ verdict }) => verdict.kind !== "not compiled");
  const count = (of: readonly Result[]) => ({
    tried: of.length,
    noticed: of.filter(({ verdict }) => verdict.kind === "noticed").length,
  });
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: git("rev-parse", "HEAD").slice(0, 12),
    faults: count(own.filter(({ attempt }) => attempt.mutant === undefined)),
    mutants: count(own.filter(({ attempt }) => attempt.mutant !== undefined)),
    survivors: own
      .filter(({ verdict }) => verdict.kind !== "noticed")
      .flatMap(({ attempt: { mutant } }) =>
        mutant ? [{ line: mutant.line, from: mutant.from, to: mutant.to }] : [],
      ),
  };
}

if (options.write && git("status", "--porcelain") !== "")
  throw new Error("Commit first: the figures name a commit.");
const triesMutants = options.mutants || options.write;
const faults = (await selectFaults()).map(planFault);
const attempts = triesMutants ? [...faults, ...chosen.flatMap(planMutants)] : faults;
if (attempts.length > 0) {
  execFileSync("npx", ["hardhat", "build", "--no-tests", "--quiet"], { cwd: root, stdio: "inherit" });
}
const workers = Math.min(availableParallelism(), attempts.length);
const copies = Array.from({ length: workers }, (_, worker) => makeCopy(worker));
const results = await (options.write ? tryAndRecord : tryAll)(attempts, copies);
const outcomes = results.map(({ outcome }) => outcome);
const alive = outcomes.filter(({ state }) => state === "failed");
printFailures(alive);
const { TEST_REPORT: report } = process.env;
if (report !== undefined) writeFileSync(report, JSON.stringify(outcomes));
const isTried = ({ attempt, verdict }: Result) => attempt.mutant && verdict.kind !== "not compiled";
const also = triesMutants ? `, ${results.filter(isTried).length} mutants` : "";
console.log(`\n${faults.length} faults${also}, ${alive.length} alive, in ${since(began)}.`);
process.exitCode = results.some(({ verdict }) => verdict.kind === "unnoticed") ? 1 : 0;
