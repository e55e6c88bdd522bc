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
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Fault } from "../test/faults/fault.ts";
import { isLong, type Outcome, since } from "./test/outcome.ts";
import { runCommand, stopOnSignals, TestProcess } from "./test/processes.ts";
import { printFailures, printLine } from "./test/summary.ts";

const { values: options, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: { changed: { type: "boolean" } },
});
stopOnSignals();
const began = performance.now();
const root = resolve(import.meta.dirname, "..");
const temporary = mkdtempSync(join(tmpdir(), "hardhat-identity-faults-"));
process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));

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
    (changed === undefined || [file, ...tests].some((path) => changed.has(path))) &&
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
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Seconds after which a test file that does not end counts as failed, in the quick tier and in the long one. */
const [patience, longPatience] = [60, 300];

/** Runs tests and returns the first failure; `undefined` if all pass. */
async function findFailure(
  folder: string,
  tests: readonly string[],
  isSolidity: boolean,
): Promise<string | undefined> {
  const env = { ...process.env, TMPDIR: join(folder, "cache"), CI: "", NO_COLOR: "1" };
  const contracts = tests.filter((file) => file.endsWith(".sol"));
  if (contracts.length > 0) {
    const limit = `timeout -k 5 ${patience}`;
    const report = join(folder, "cache/outcomes.json");
    rmSync(report, { force: true });
    const command = `cd ${folder} && ${limit} node scripts/test/solidity.ts ${contracts.join(" ")}`;
    const { code } = await runCommand(command, { ...env, TEST_REPORT: report });
    // The exit code of `timeout` is 124, or 137 if it had to kill the process.
    if (!existsSync(report) && code !== 124 && code !== 137) throw new Error("The contracts do not compile.");
    if (code !== 0) return contracts.join(", ");
  }
  const files = tests.filter((file) => !contracts.includes(file));
  if (files.length === 0) return undefined;
  if (isSolidity) {
    const { code } = await runCommand(`cd ${folder} && npx hardhat build --no-tests --quiet`, env);
    if (code !== 0) throw new Error("The contracts do not compile.");
  }
  const worker = new TestProcess({ ...env, CONTRACTS_ARE_BUILT: "true", TEST_BAIL: "true" }, folder);
  try {
    for (const file of files) {
      const timer = setTimeout(() => worker.kill(), (isLong(file) ? longPatience : patience) * 1000);
      const { outcomes } = await worker.run(file).finally(() => clearTimeout(timer));
      const failed = outcomes.find(({ state }) => state === "failed");
      if (failed !== undefined) return `${file}: ${failed.title}\n${failed.problem}`;
    }
    return undefined;
  } finally {
    await worker.stop();
  }
}

const outcomes: Outcome[] = [];
const sound = new Map<string, Promise<string | undefined>>();

/** Returns why a fault is not noticed or cannot be applied; `undefined` if a test notices it. */
async function findProblem({ file, from, to, tests }: Fault, folder: string): Promise<string | undefined> {
  for (const test of tests) {
    if (!sound.has(test)) sound.set(test, findFailure(folder, [test], false));
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
  try {
    const failure = await findFailure(folder, tests, file.endsWith(".sol"));
    return failure === undefined ? `None of ${tests.join(", ")} fails.` : undefined;
  } finally {
    writeFileSync(path, text);
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
