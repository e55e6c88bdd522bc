// `npm run faults`: puts each fault of test/faults/ into a copy of the repository, one at a time, and runs the tests
// that must notice it. A fault fails if no test notices it, or if its text is no longer in its file.
//
//   npm run faults                     all faults
//   npm run faults -- <pattern>        faults with the pattern in file, tests or description
//   npm run faults -- --changed        faults whose file or tests changed since the branch began
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Fault, splitTest, titlePattern } from "../test/faults/fault.ts";
import { isLong, type Outcome, since, unended } from "./test/outcome.ts";
import { runCommand, stopOnSignals, TestProcess } from "./test/processes.ts";
import { printFailures, printLine } from "./test/summary.ts";

const { values: options, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: { changed: { type: "boolean" } },
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
  const files = globSync("test/faults/*.ts", { cwd: root, exclude: ["**/fault.ts"] }).sort();
  const lists = await Promise.all(files.map((file) => import(join(root, file))));
  const changed = options.changed ? readChanged() : undefined;
  const isMeant = ({ what, file, tests }: Fault) =>
    (changed === undefined ||
      [file, ...tests.map((test) => splitTest(test).file)].some((path) => changed.has(path))) &&
    (patterns.length === 0 ||
      patterns.some((pattern) => [what, file, ...tests].some((text) => text.includes(pattern))));
  return lists.flatMap(({ faults }: { faults: readonly Fault[] }) => faults).filter(isMeant);
}

/** Copies the repository, including build outputs. */
function copyRepository(name: string): string {
  const folder = join(temporary, name);
  const files = git("ls-files", "--cached", "--others", "--exclude-standard").split("\n");
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    try {
      cpSync(join(root, file), join(folder, file));
    } catch (error) {
      // A deleted file whose deletion is not committed yet.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  for (const built of ["artifacts", "cache", "typechain-types"]) {
    cpSync(join(root, built), join(folder, built), { recursive: true });
  }
  linkModules(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Links what is installed; this repository's own packages, which are links themselves, to those of the copy. */
function linkModules(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (name === "@hardhat-identity") linkModules(source, target);
    else if (lstatSync(source).isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else symlinkSync(source, target);
  }
}

/** Seconds after which a test file that does not end counts as failed, in the quick tier and in the long one. */
const [patience, longPatience] = [60, 300];

/** Runs a test file or one test of it, and returns its failure; `undefined` if it passes. */
async function findFailure(folder: string, test: string): Promise<string | undefined> {
  const { file, title } = splitTest(test);
  // At the end of a full title; in Solidity, those end in `()`.
  const pattern = new RegExp(`${titlePattern(title)}(?:\\(.*\\))?$`);
  const env = { ...process.env, TMPDIR: temporaryOfTests, CI: "", NO_COLOR: "1" };
  const run = file.endsWith(".sol") ? runContracts : runFile;
  const outcomes = await run(folder, file, { ...env, TEST_TITLE: pattern.source });
  const named = outcomes.filter(({ title }) => pattern.test(title) || title === unended);
  if (named.length === 0) throw new Error(`${test} does not load, or is not there.`);
  const failed = named.find(({ state }) => state === "failed");
  return failed && `${file}: ${failed.title}\n${failed.problem}`;
}

async function runContracts(folder: string, file: string, env: NodeJS.ProcessEnv): Promise<Outcome[]> {
  const report = join(folder, "cache/outcomes.json");
  rmSync(report, { force: true });
  const command = `cd ${folder} && timeout -k 5 ${patience} node scripts/test/solidity.ts ${file}`;
  const { code } = await runCommand(command, { ...env, TEST_REPORT: report });
  if (existsSync(report)) return JSON.parse(readFileSync(report, "utf8"));
  // The exit code of `timeout` is 124, or 137 if it had to kill the process.
  if (code !== 124 && code !== 137) throw new Error("The contracts do not compile.");
  return [{ file, title: unended, state: "failed" }];
}

async function runFile(folder: string, file: string, env: NodeJS.ProcessEnv): Promise<readonly Outcome[]> {
  const worker = new TestProcess({ ...env, CONTRACTS_ARE_BUILT: "true", TEST_BAIL: "true" }, folder);
  const timer = setTimeout(() => worker.kill(), (isLong(file) ? longPatience : patience) * 1000);
  try {
    return (await worker.run(file)).outcomes;
  } finally {
    clearTimeout(timer);
    await worker.stop();
  }
}

async function build(folder: string): Promise<void> {
  const { code } = await runCommand(`cd ${folder} && npx hardhat build --no-tests --quiet`, process.env);
  if (code !== 0) throw new Error("The contracts do not compile.");
}

const outcomes: Outcome[] = [];
const sound = new Map<string, Promise<string | undefined>>();

/** Returns why a fault is not noticed or cannot be applied; `undefined` if every test notices it. */
async function findProblem({ file, from, to, tests }: Fault, folder: string): Promise<string | undefined> {
  for (const test of tests) {
    if (!sound.has(test)) sound.set(test, findFailure(folder, test));
    const failure = await sound.get(test);
    if (failure !== undefined) return `Without the fault there fails ${failure}`;
  }
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  const count = text.split(from).length - 1;
  if (count !== 1) return `The text to replace is in ${file} ${count} times:\n${from}`;
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const needsBuild = file.endsWith(".sol") && tests.some((test) => !splitTest(test).file.endsWith(".sol"));
  try {
    if (needsBuild) await build(folder);
    for (const test of tests) {
      if ((await findFailure(folder, test)) === undefined) return `${test} does not notice it.`;
    }
    return undefined;
  } finally {
    writeFileSync(path, text);
    if (needsBuild) await build(folder);
  }
}

async function work(worker: number, queue: Fault[]): Promise<void> {
  const folder = copyRepository(String(worker));
  for (let fault = queue.shift(); fault !== undefined; fault = queue.shift()) {
    const start = performance.now();
    const problem = await findProblem(fault, folder).catch((error: Error) => error.message);
    const title = `${fault.file}: ${fault.what}`;
    const outcome: Outcome = problem
      ? { file: "", title, state: "failed", problem }
      : { file: "", title, state: "passed" };
    outcomes.push(outcome);
    printLine(title, [outcome], performance.now() - start);
  }
}

const faults = await readFaults();
if (faults.length > 0) {
  execFileSync("npx", ["hardhat", "build", "--no-tests", "--quiet"], { cwd: root, stdio: "inherit" });
}
const queue = [...faults];
const workers = Math.min(availableParallelism(), faults.length);
await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker, queue)));
const alive = outcomes.filter(({ state }) => state === "failed");
printFailures(alive);
const { TEST_REPORT: report } = process.env;
if (report !== undefined) writeFileSync(report, JSON.stringify(outcomes));
console.log(`\n${faults.length} faults, ${alive.length} alive, in ${since(began)}.`);
process.exitCode = alive.length === 0 ? 0 : 1;
