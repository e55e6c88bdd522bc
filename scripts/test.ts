// `npm test` and `npm run test:all`: run the checks and the tests, in two tiers. The last line has the correct totals:
// "N passed, N failed, N skipped".
//
//   npm test                the quick tier: every check, and the tests that prove behaviour
//   npm run test:all        the long tier: the files *.long.test.ts, which need whole projects, processes or browsers
//   npm test -- <pattern>   the test files of either tier whose path contains the pattern, with every test listed
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readArguments } from "./readArguments.ts";
import { readCpu } from "./test/cpu.ts";
import { type Job, planJobs } from "./test/jobs.ts";
import { inSeconds, isLong, type Outcome, since } from "./test/outcome.ts";
import { runCommand, stopOnSignals, TestProcess } from "./test/processes.ts";
import { printFailures, printLine, printSkipped, printTotals } from "./test/summary.ts";

const { values: options, positionals: patterns } = readArguments(import.meta.filename, {
  allowPositionals: true,
  options: { long: { type: "boolean" }, coverage: { type: "boolean" } },
});
const isPart = patterns.length > 0;
const isCoverage = options.coverage === true;
const isCi = process.env.CI === "true";
const tier = options.long ? "long" : "quick";
const temporary = mkdtempSync(join(tmpdir(), "hardhat-identity-tests-"));
process.once("exit", () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));
const began = performance.now();
stopOnSignals();

/** All test files. Like Hardhat's mocha, this takes every script below test/, except fixtures and faults. */
const allFiles = globSync("test/**/*.{ts,mts,cts,js,mjs,cjs}", { exclude: ["test/{fixtures,faults}/**"] });
const has = (file: string) => patterns.some((pattern) => file.includes(pattern));
const files = allFiles.filter((file) =>
  isPart ? has(file) : isCoverage || isLong(file) === (tier === "long"),
);
const solidityFiles = globSync("{contracts,test}/**/*.t.sol").filter((file) => !isPart || has(file));

// Half of what was asked for must not pass for all of it.
const unknown = patterns.filter(
  (pattern) => ![...files, ...solidityFiles].some((file) => file.includes(pattern)),
);
if (unknown.length > 0) {
  printFailures(
    unknown.map((pattern) => ({
      file: "",
      title: `No test file has ${pattern} in its path.`,
      state: "failed",
    })),
  );
  printTotals(0, unknown.length, 0);
  process.exit(1);
}

const outcomes: Outcome[] = [];
const ended = new Map<Job, Promise<boolean>>();

const packed = join(temporary, "packed");
const jobs = planJobs({ isPart, isCoverage, tier, files, solidityFiles, packed });

/** Composes the environment of tests with whole projects: the packages, and an npm registry that serves them. */
async function serveProjects(): Promise<NodeJS.ProcessEnv> {
  const { serveRegistry } = await import("../test/fixtures/packages/registry.ts");
  const NPM_REGISTRY = await serveRegistry(packed);
  return { PACKED_FOLDER: packed, NPM_REGISTRY, NPM_CACHE: join(temporary, "npm") };
}
const projects = jobs.some(({ makes }) => makes === "packages") ? await serveProjects() : {};

/** Composes the environment of a worker, with its own folder for temporary files and for the list of running stacks. */
function environmentOf(worker: number): NodeJS.ProcessEnv {
  const TMPDIR = join(temporary, String(worker));
  mkdirSync(TMPDIR, { recursive: true });
  // Without colors: the output is shown later, perhaps in a file.
  return { ...process.env, TMPDIR, NO_COLOR: "1", FORCE_COLOR: "0" };
}

function environmentOfTests(worker: number): NodeJS.ProcessEnv {
  return {
    ...environmentOf(worker),
    CONTRACTS_ARE_BUILT: "true",
    // The programs that tests start load the same files again and again, in this run and the next. A coverage needs them
    // compiled from the source.
    ...(!isCoverage && {
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? resolve("cache/compiled"),
    }),
    ...projects,
    ...(isCoverage && { NODE_V8_COVERAGE: resolve("coverage/v8") }),
  };
}

async function runJob({ name, command, files: expected, needs }: Job, worker: number): Promise<boolean> {
  if (needs !== undefined && !(await ended.get(needs))) {
    const problem = `It did not run, because "${needs.name}" failed.`;
    for (const file of expected ?? [""]) outcomes.push({ file, title: name, state: "failed", problem });
    return false;
  }
  const start = performance.now();
  const report = join(temporary, `report-${worker}.json`);
  rmSync(report, { force: true });
  const built = needs?.makes === "contracts" && { CONTRACTS_ARE_BUILT: "true" };
  const { code, output } = await runCommand(command, {
    ...environmentOf(worker),
    TEST_REPORT: report,
    ...built,
  });
  const found: Outcome[] = [];
  if (expected !== undefined && existsSync(report)) found.push(...JSON.parse(readFileSync(report, "utf8")));
  for (const file of expected ?? []) {
    if (found.some((outcome) => outcome.file === file)) continue;
    found.push({ file, title: file, state: "failed", problem: `It has no test, or never ran:\n${output}` });
  }
  const hasFailed = found.some(({ state }) => state === "failed");
  if (expected === undefined || (code !== 0 && !hasFailed)) {
    const problem = `$ ${command}\n${output.trim()}`;
    found.push({
      file: "",
      title: name,
      ...(code === 0 ? { state: "passed" } : { state: "failed", problem }),
    });
  }
  outcomes.push(...found);
  printLine(name, found, performance.now() - start);
  return code === 0;
}

async function work(worker: number, jobs: Job[], testFiles: string[]): Promise<void> {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    const done = runJob(job, worker);
    ended.set(job, done);
    await done;
  }
  const tests = new TestProcess(environmentOfTests(worker));
  const made = [...ended].filter(([{ makes }]) => makes !== undefined).map(([, done]) => done);
  const isReady = (await Promise.all(made)).every(Boolean);
  for (let file = testFiles.shift(); file !== undefined; file = testFiles.shift()) {
    if (!isReady) {
      const problem = "It did not run, because the contracts or the packages could not be made.";
      outcomes.push({ file: "", title: file, state: "failed", problem });
      continue;
    }
    const { outcomes: found, took, cpu, output } = await tests.run(file);
    const none: Outcome = { file, title: file, state: "failed", problem: "It has no test." };
    const told = found.length === 0 ? [none] : found;
    outcomes.push(...told);
    if (isPart) console.log(output.trimEnd());
    printLine(file, told, took, cpu);
  }
  await tests.stop();
}

/** Turns a skipped test into a failure in CI, unless it needs an endpoint of the public chain. */
function judgeOutcome(outcome: Outcome): Outcome {
  const isExcused = outcome.skipped?.enabledBy.includes("BASE_SEPOLIA_RPC_URL");
  if (outcome.state !== "skipped" || !isCi || isExcused) return outcome;
  const problem = `It is skipped, which CI does not accept: ${outcome.skipped?.reason}.`;
  return { ...outcome, state: "failed", problem };
}

if (isCoverage) rmSync("coverage", { recursive: true, force: true });
const testFiles = files.toSorted();
// One more than there are processors, because many tests wait. Those of the long tier start browsers, databases and
// processes of their own, and measure what others wait for.
const workers = availableParallelism() + (tier === "long" ? 0 : 1);
await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker, jobs, testFiles)));
if (isCoverage) {
  for (const [name, command] of [
    ["TypeScript coverage holds", "c8 report --check-coverage --temp-directory coverage/v8"],
    ["Solidity coverage holds", "node scripts/test/solidity-coverage.ts"],
  ] as const) {
    await runJob({ name, command }, 0);
  }
}

const judged = outcomes.map(judgeOutcome);
const having = (state: Outcome["state"]) => judged.filter((outcome) => outcome.state === state);
const [passed, failed, skipped] = [having("passed"), having("failed"), having("skipped")];
printSkipped(skipped);
printFailures(failed);

/** Describes what ran, for how long, and what is left. */
function describeRun(): string {
  // The processes of all tests have ended.
  const took = `${since(began)} and ${inSeconds(readCpu())} of CPU`;
  if (isPart) return `Some test files, in ${took}.`;
  if (isCoverage) return `All test files, with coverage, in ${took}.`;
  const others = allFiles.length - files.length;
  const other = tier === "quick" ? "npm run test:all" : "npm test";
  return `The ${tier} tier, in ${took}. It leaves ${others} test files to the other: ${other}`;
}
console.log(`\n${describeRun()}`);
printTotals(passed.length, failed.length, skipped.length);
process.exitCode = failed.length === 0 ? 0 : 1;
