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
import { parseArgs } from "node:util";
import { type Fault, splitTest } from "../test/faults/fault.ts";
import { survivors } from "../test/faults/survivors.ts";
import { type Target, targets } from "../test/faults/targets.ts";
import { copyRepository } from "./faults/copyRepository.ts";
import { type Mutant, makeMutants } from "./faults/mutant.ts";
import { type FileRecord, writeRecords } from "./faults/record.ts";
import { CompileError, TestsInCopy } from "./faults/runTests.ts";
import { type Outcome, since } from "./test/outcome.ts";
import { stopOnSignals } from "./test/processes.ts";
import { printFailures, printLine } from "./test/summary.ts";

const { values: options, positionals: patterns } = parseArgs({
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

/** Lists the files that changed since this branch began, or on the main branch since the previous commit. */
function readChanged(): Set<string> {
  const tryGit = (...args: string[]) => {
    try {
      return git(...args);
    } catch {
      return "";
    }
  };
  const head = tryGit("rev-parse", "HEAD");
  if (head === "") console.log("There is no git history here: nothing is known to have changed.");
  const fork = tryGit("merge-base", "HEAD", "origin/main");
  const base = fork !== "" && fork !== head ? fork : "HEAD~1";
  return new Set(tryGit("diff", "--name-only", base).split("\n"));
}

async function readFaults(): Promise<Fault[]> {
  const files = globSync("test/faults/*.ts", {
    cwd: root,
    exclude: ["**/{fault,targets,survivors}.ts"],
  }).sort();
  const lists = await Promise.all(files.map((file) => import(join(root, file))));
  return lists.flatMap(({ faults }: { faults: readonly Fault[] }) => faults);
}

/** Selects the faults that were asked for. */
async function selectFaults(): Promise<Fault[]> {
  const all = await readFaults();
  if (options.write) return all.filter(({ file }) => chosen.some((target) => target.file === file));
  if (options.mutants) return [];
  const changed = options.changed ? readChanged() : undefined;
  const isMeant = ({ what, file, tests }: Fault) =>
    (changed === undefined ||
      [file, ...tests.map((test) => splitTest(test).file)].some((path) => changed.has(path))) &&
    (patterns.length === 0 ||
      patterns.some((pattern) => [what, file, ...tests].some((text) => text.includes(pattern))));
  return all.filter(isMeant);
}

/** A fault or a mutant of a file, and whether tests notice it. */
interface Attempt {
  readonly file: string;
  readonly title: string;
  readonly mutant?: Mutant;
  /** Returns why it counts as unnoticed; `undefined` if tests notice it, and "invalid" if it does not compile. */
  readonly try: (copy: Copy) => Promise<string | undefined>;
}

interface Copy {
  readonly folder: string;
  readonly tests: TestsInCopy;
}

const invalid = "invalid";
const sound = new Map<string, Promise<string | undefined>>();

/** Throws if a test fails without any fault. */
async function requireSound(test: string, { tests }: Copy): Promise<void> {
  if (!sound.has(test)) sound.set(test, tests.findFailure(test));
  const failure = await sound.get(test);
  if (failure !== undefined) throw new Error(`Without the fault there fails ${failure}`);
}

/** The same for several files of Solidity tests, in one run. */
async function requireSoundContracts(files: readonly string[], { tests }: Copy): Promise<void> {
  const key = files.join(" ");
  const run = async () => (await tests.runContracts(files)).find(({ state }) => state === "failed")?.title;
  if (!sound.has(key)) sound.set(key, run());
  const failure = await sound.get(key);
  if (failure !== undefined) throw new Error(`Without the mutant there fails ${failure}`);
}

/** Returns why a fault is not noticed or cannot be applied; `undefined` if every test notices it. */
async function tryFault({ file, from, to, tests }: Fault, copy: Copy): Promise<string | undefined> {
  for (const test of tests) await requireSound(test, copy);
  const path = join(copy.folder, file);
  const text = readFileSync(path, "utf8");
  const count = text.split(from).length - 1;
  if (count !== 1) return `The text to replace is in ${file} ${count} times:\n${from}`;
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const needsBuild = file.endsWith(".sol") && tests.some((test) => !splitTest(test).file.endsWith(".sol"));
  try {
    if (needsBuild) await copy.tests.build();
    for (const test of tests) {
      if ((await copy.tests.findFailure(test)) === undefined) return `${test} does not notice it.`;
    }
    return undefined;
  } finally {
    writeFileSync(path, text);
    if (needsBuild) await copy.tests.build();
  }
}

/** Returns that no test notices a mutant; `undefined` if the nearest tests do. */
async function tryMutant(mutant: Mutant, tests: readonly string[], copy: Copy): Promise<string | undefined> {
  const isSolidity = mutant.file.endsWith(".sol");
  if (isSolidity) await requireSoundContracts(tests, copy);
  else for (const test of tests) await requireSound(test, copy);
  const path = join(copy.folder, mutant.file);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, mutant.text);
  try {
    if (isSolidity) {
      // A mutant may leave a variable unused, which is worth a warning, and no error.
      const outcomes = await copy.tests.runContracts(tests, { ALLOW_WARNINGS: "true" });
      if (outcomes.some(({ state }) => state === "failed")) return undefined;
    } else {
      for (const test of tests) if (await copy.tests.findFailure(test)) return undefined;
    }
    const known = survivors.some(
      ({ file, from, to }) => file === mutant.file && from === mutant.from && to === mutant.to,
    );
    return known ? "No test notices it, as test/faults/survivors.ts explains." : "No test notices it.";
  } catch (error) {
    if (error instanceof CompileError) return invalid;
    throw error;
  } finally {
    writeFileSync(path, text);
  }
}

function readMutants({ file, tests }: Target): Attempt[] {
  const nearest = tests.flatMap((pattern) => globSync(pattern, { cwd: root }).sort());
  return makeMutants(file, readFileSync(join(root, file), "utf8")).map((mutant) => ({
    file,
    title: `${file}:${mutant.line}: ${mutant.from} → ${mutant.to}`,
    mutant,
    try: (copy) => tryMutant(mutant, nearest, copy),
  }));
}

const problems = new Map<Attempt, string | undefined>();

async function work(worker: number, queue: Attempt[]): Promise<void> {
  const folder = join(temporary, String(worker));
  copyRepository(root, folder);
  const copy = { folder, tests: new TestsInCopy(folder, temporaryOfTests) };
  for (let attempt = queue.shift(); attempt !== undefined; attempt = queue.shift()) {
    const start = performance.now();
    const problem = await attempt.try(copy).catch((error: Error) => error.message);
    problems.set(attempt, problem);
    printLine(attempt.title, [outcomeOf(attempt)], performance.now() - start);
  }
}

function outcomeOf(attempt: Attempt): Outcome {
  const [{ title }, problem] = [attempt, problems.get(attempt)];
  return problem === undefined || problem === invalid
    ? { file: "", title, state: "passed" }
    : { file: "", title, state: "failed", problem };
}

/** Counts the attempts on a file. A mutant that does not compile was not tried. */
function recordOf({ file }: Target): FileRecord {
  const own = attempts.filter((attempt) => attempt.file === file && problems.get(attempt) !== invalid);
  const isAlive = (attempt: Attempt) => problems.get(attempt) !== undefined;
  const count = (of: readonly Attempt[]) => ({
    tried: of.length,
    noticed: of.filter((attempt) => !isAlive(attempt)).length,
  });
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: git("rev-parse", "HEAD").slice(0, 12),
    faults: count(own.filter(({ mutant }) => mutant === undefined)),
    mutants: count(own.filter(({ mutant }) => mutant !== undefined)),
    survivors: own
      .filter(isAlive)
      .flatMap(({ mutant }) => (mutant ? [{ line: mutant.line, from: mutant.from, to: mutant.to }] : [])),
  };
}

const chosen = targets.filter(
  ({ file }) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)),
);
if (options.write && git("status", "--porcelain") !== "")
  throw new Error("Commit first: the figures name a commit.");
const faults = await selectFaults();
const attempts: Attempt[] = faults.map((fault) => ({
  file: fault.file,
  title: `${fault.file}: ${fault.what}`,
  try: (copy) => tryFault(fault, copy),
}));
if (options.mutants || options.write) attempts.push(...chosen.flatMap(readMutants));
if (attempts.length > 0) {
  execFileSync("npx", ["hardhat", "build", "--no-tests", "--quiet"], { cwd: root, stdio: "inherit" });
}
const queue = [...attempts];
const workers = Math.min(availableParallelism(), attempts.length);
await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker, queue)));
const outcomes = attempts.map(outcomeOf);
const alive = outcomes.filter(({ state }) => state === "failed");
printFailures(alive);
const { TEST_REPORT: report } = process.env;
if (report !== undefined) writeFileSync(report, JSON.stringify(outcomes));
const made = attempts.filter((attempt) => problems.get(attempt) === invalid).length;
const mutants = attempts.length - faults.length - made;
const also = options.mutants || options.write ? `, ${mutants} mutants` : "";
console.log(`\n${faults.length} faults${also}, ${alive.length} alive, in ${since(began)}.`);
if (options.write) writeRecords(Object.fromEntries(chosen.map((target) => [target.file, recordOf(target)])));
// An explained survivor is no failure.
const isExplained = ({ problem }: Outcome) => problem?.includes("survivors.ts") ?? false;
process.exitCode = alive.every(isExplained) ? 0 : 1;
