// `npm test`: every check and every test, two side by side, and a last line that is true: "N passed, N failed, N skipped".
// `npm test -- <pattern>` runs the test files alone whose path has the pattern in it.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { styleText } from "node:util";
import type { Outcome } from "./reporter.ts";

/** A command that takes its turn. */
interface Job {
  readonly name: string;
  readonly command: string;
  /** What must have succeeded before. */
  readonly needs?: Job;
  /** Test files that must be in its report. A job that has none is a check: it passes or fails as one. */
  readonly files?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

// The machines that run this have two cores.
const workers = 2;
const isCi = process.env.CI === "true";
const patterns = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const isPart = patterns.length > 0;
// CI holds what TypeScript's tests reach; Solidity's need contracts compiled anew, so only `npm run coverage` does.
const withSolidityCoverage = process.argv.includes("--coverage");
const withCoverage = withSolidityCoverage || (isCi && !isPart);
const temporary = mkdtempSync(join(tmpdir(), "hardhat-identity-tests-"));
const started = performance.now();

const rooms = ["protocol", "chain", "client", "wallet", "signer", "sandbox", "web", "tasks", "ignition"];
const sources = [...rooms, "scripts", "test", "bench"].filter((folder) => existsSync(folder)).join(" ");

const contracts: Job = {
  name: "Contracts compile without a warning",
  command: "hardhat build --no-tests --quiet",
};
const isBuilt = { CONTRACTS_ARE_BUILT: "true" };
const packed = join(temporary, "packed");
const pack: Job = {
  name: "The npm packages are packed",
  command: `node scripts/pack.ts --to ${packed}`,
  needs: contracts,
  env: isBuilt,
};
const checks: readonly Job[] = [
  { name: "Words are spelled right", command: "cspell --no-progress --no-summary --dot ." },
  {
    name: "Solidity and Markdown are formatted",
    command: "prettier --check --log-level warn '**/*.{sol,md}'",
  },
  { name: "TypeScript and JSON are formatted and linted", command: "biome ci --error-on-warnings ." },
  { name: "Solidity is linted", command: "solhint --max-warnings 0 --disc 'contracts/**/*.sol'" },
  {
    name: "Imports run downwards",
    command: `depcruise --config .dependency-cruiser.mjs ${sources}`,
    needs: contracts,
  },
  { name: "Types check", command: "tsc -p . && tsc -p web", needs: contracts },
];
const solidity: Job = {
  name: "Solidity tests",
  command: "node scripts/solidity-tests.ts",
  needs: contracts,
  files: globSync("{contracts,test}/**/*.t.sol"),
  env: isBuilt,
};
const coverage: readonly Job[] = [
  {
    name: "TypeScript coverage holds",
    command: "c8 report --check-coverage --temp-directory coverage/v8",
  },
  ...(withSolidityCoverage
    ? [{ name: "Solidity coverage holds", command: "node scripts/solidity-coverage.ts" }]
    : []),
];

// Processes and browsers are what takes long.
const slow =
  /child_process|fixtures\/(browser|devProcess|freshProject|hardhat|hardhatNode|ignition|registry)\.ts/;
/** Hardhat's mocha takes every script below test/ for one with tests: so do we, but for what tests share. */
const testFiles = globSync("test/**/*.{ts,mts,cts,js,mjs,cjs}", { exclude: ["test/fixtures/**"] })
  .filter((file) => !isPart || patterns.some((pattern) => file.includes(pattern)))
  .map((file) => ({ file, text: readFileSync(file, "utf8") }))
  .map(({ file, text }) => ({ file, text, cost: slow.test(text) ? 4 : 1 }))
  .sort((a, b) => b.cost - a.cost || a.file.localeCompare(b.file));
const fileCount = testFiles.length;
const isPacked = testFiles.some(({ text }) => /fixtures\/(freshProject|registry)\.ts/.test(text));

const outcomes: Outcome[] = [];
const running = new Set<ChildProcess>();
const ended = new Map<Job, Promise<boolean>>();

/** The next test files for one process: few enough that at the end both workers have something to do. */
function takeTestFiles(): Job | undefined {
  const share = Math.max(4, testFiles.reduce((sum, { cost }) => sum + cost, 0) / (workers * 3));
  const files: string[] = [];
  for (let cost = 0; cost < share; ) {
    const next = testFiles.shift();
    if (next === undefined) break;
    cost += next.cost;
    files.push(next.file);
  }
  if (files.length === 0) return undefined;
  return {
    name: files.join(", "),
    command: `hardhat test mocha --no-compile ${files.join(" ")}`,
    needs: isPacked ? pack : contracts,
    files,
    env: {
      ...isBuilt,
      ...(isPacked && { PACKED_FOLDER: packed }),
      ...(withCoverage && { NODE_V8_COVERAGE: resolve("coverage/v8") }),
    },
  };
}

/** Runs a command with a folder for temporary files of the worker's own: the running stacks are listed in it. */
async function run(command: string, worker: number, env: NodeJS.ProcessEnv = {}) {
  const TMPDIR = join(temporary, String(worker));
  mkdirSync(TMPDIR, { recursive: true });
  const child = spawn(command, {
    shell: true,
    // A group of its own, so that it can be stopped with all that it has started.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR, ...env },
  });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  running.delete(child);
  return { code, output };
}

async function runCheck({ name, command, env }: Job, worker: number): Promise<boolean> {
  const began = performance.now();
  const { code, output } = await run(command, worker, env);
  const took = styleText("gray", `(${seconds(began)})`);
  outcomes.push({ file: "", title: name, state: code === 0 ? "passed" : "failed" });
  if (code === 0) console.log(`  ${styleText("green", "✔")} ${name} ${took}`);
  else console.log(`  ${styleText("red", "✖")} ${name} ${took}\n\n$ ${command}\n${output}`);
  return code === 0;
}

let reports = 0;
let filesDone = 0;

async function runTests({ name, command, files = [], env }: Job, worker: number): Promise<boolean> {
  const report = join(temporary, `report-${++reports}.json`);
  const { code, output } = await run(command, worker, { ...env, TEST_REPORT: report });
  console.log(output.trimEnd());
  const found: Outcome[] = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : [];
  for (const file of files) {
    const problem = `It has no test, or never ran: the process ended with ${code}.`;
    if (!found.some((outcome) => outcome.file === file)) {
      found.push({ file, title: file, state: "failed", problem });
    }
  }
  if (code !== 0 && !found.some(({ state }) => state === "failed")) {
    found.push({ file: "", title: name, state: "failed", problem: `The process ended with ${code}.` });
  }
  outcomes.push(...found);
  if (command.startsWith("hardhat test mocha")) filesDone += files.length;
  const progress = `${filesDone} of ${fileCount} test files, ${seconds(started)}`;
  console.log(styleText("gray", `\n  ${progress}\n`));
  return code === 0;
}

async function work(worker: number, next: () => Job | undefined): Promise<void> {
  for (let job = next(); job !== undefined; job = next()) {
    const ok = runWhenReady(job, worker);
    ended.set(job, ok);
    await ok;
  }
}

async function runWhenReady(job: Job, worker: number): Promise<boolean> {
  if (job.needs !== undefined && !(await ended.get(job.needs))) {
    const problem = `It did not run: "${job.needs.name}" failed.`;
    for (const title of job.files ?? [job.name]) outcomes.push({ file: "", title, state: "failed", problem });
    return false;
  }
  return await (job.files === undefined ? runCheck(job, worker) : runTests(job, worker));
}

/** Seconds since a moment, for people. */
function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/** A skip is a failure in CI, but for what needs an endpoint of the public chain. */
function judge(outcome: Outcome): Outcome {
  const isExcused = outcome.skipped?.enabledBy.includes("BASE_SEPOLIA_RPC_URL");
  if (outcome.state !== "skipped" || !isCi || isExcused) return outcome;
  return { ...outcome, state: "failed", problem: "It is skipped, which CI does not accept." };
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    for (const { pid } of running) if (pid !== undefined) process.kill(-pid, signal);
    process.exit(1);
  });
}
process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));

if (withCoverage) rmSync("coverage", { recursive: true, force: true });
const queue = [
  contracts,
  ...(isPart ? [] : checks.filter(({ needs }) => needs === undefined)),
  ...(isPacked ? [pack] : []),
  ...(isPart ? [] : [solidity, ...checks.filter(({ needs }) => needs !== undefined)]),
];
await Promise.all(
  Array.from({ length: workers }, (_, worker) => work(worker, () => queue.shift() ?? takeTestFiles())),
);
if (withCoverage) {
  console.log("\nCoverage (reports in coverage/)\n");
  for (const check of coverage) await runCheck(check, 0);
}

const judged = outcomes.map(judge);
const having = (state: Outcome["state"]) => judged.filter((outcome) => outcome.state === state);
const [passed, failed, skipped] = [having("passed"), having("failed"), having("skipped")];
if (fileCount === 0)
  failed.push({ file: "", title: `No test file has ${patterns.join(" or ")}`, state: "failed" });

for (const [heading, listed] of [
  ["Failed", failed],
  ["Skipped", skipped],
] as const) {
  if (listed.length === 0) continue;
  console.log(`\n${heading}\n`);
  for (const { file, title, problem, skipped: reason } of listed) {
    console.log(`  - ${[file, title].filter((text) => text !== "").join(": ")}`);
    if (problem !== undefined) console.log(`    ${problem.replaceAll("\n", "\n    ")}`);
    if (reason !== undefined) console.log(`    Why: ${reason.reason}. To run it: ${reason.enabledBy}`);
  }
}
console.log(`\nIt took ${seconds(started)}.`);
console.log(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`);
process.exitCode = failed.length === 0 ? 0 : 1;
