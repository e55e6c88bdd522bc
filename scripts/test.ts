// `npm test`: every check and every test, with one line for each check, and a count at the end.
import { spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { styleText } from "node:util";

interface Check {
  readonly name: string;
  readonly command: string;
}

const rooms = [
  "protocol",
  "chain",
  "client",
  "wallet",
  "signer",
  "sandbox",
  "web",
  "tasks",
  "ignition",
  "scripts",
  "test",
  "bench",
];

const build: Check = { name: "Contracts compile without a warning", command: "hardhat build --quiet" };
const checks: readonly Check[] = [
  { name: "TypeScript and JSON are formatted and linted", command: "biome ci --error-on-warnings ." },
  {
    name: "Solidity and Markdown are formatted",
    command: "prettier --check --log-level warn '**/*.{sol,md}'",
  },
  { name: "Solidity is linted", command: "solhint --max-warnings 0 --disc 'contracts/**/*.sol'" },
  { name: "Types check", command: "tsc -p . && tsc -p web" },
  {
    name: "Imports run downwards",
    command: `depcruise --config .dependency-cruiser.mjs ${rooms.filter((room) => existsSync(room)).join(" ")}`,
  },
  { name: "Words are spelled right", command: "cspell --no-progress --no-summary --dot ." },
];

// CI holds what TypeScript's tests reach; Solidity's need contracts compiled anew, so only `npm run coverage` does.
const withCoverage = process.env.CI === "true" || process.argv.includes("--coverage");
const coverage: readonly Check[] = [
  {
    name: "TypeScript coverage holds",
    command: "c8 report --check-coverage --temp-directory coverage/v8",
  },
  ...(process.argv.includes("--coverage")
    ? [{ name: "Solidity coverage holds", command: "node scripts/solidity-coverage.ts" }]
    : []),
];

let passed = 0;
let failed = 0;
let skipped = 0;

/** Runs a command; `live` shows its output as it comes, otherwise only `output` has it. */
function run(command: string, live = false): Promise<{ ok: boolean; output: string }> {
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (live) process.stdout.write(text);
    });
  }
  return new Promise((resolve) => child.on("close", (code) => resolve({ ok: code === 0, output })));
}

async function runCheck({ name, command }: Check): Promise<void> {
  const started = performance.now();
  const { ok, output } = await run(command);
  const seconds = `(${((performance.now() - started) / 1000).toFixed(1)} s)`;
  if (ok) {
    passed++;
    console.log(`  ${styleText("green", "✔")} ${name} ${styleText("gray", seconds)}`);
  } else {
    failed++;
    console.log(
      `  ${styleText("red", "✖")} ${name} ${styleText("gray", seconds)}\n\n$ ${command}\n${output}`,
    );
  }
}

function countTests(output: string): void {
  const total = (word: string) =>
    [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word} \\(.*(?:mocha|solidity).*\\)$`, "gm"))].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  passed += total("passing");
  failed += total("failing");
  skipped += total("skipped");
}

console.log("\nChecks\n");
await runCheck(build);
// Two at a time: the machines that run this have two cores.
const queue = [...checks];
const worker = async () => {
  for (let check = queue.shift(); check !== undefined; check = queue.shift()) await runCheck(check);
};
await Promise.all([worker(), worker()]);

console.log("\nTests\n");
if (withCoverage) {
  rmSync("coverage", { recursive: true, force: true });
  process.env.NODE_V8_COVERAGE = resolve("coverage/v8");
}
const tests = await run("hardhat test", true);
delete process.env.NODE_V8_COVERAGE;
countTests(tests.output);
if (!tests.ok && failed === 0) failed = 1;
if (passed === checks.length + 1) {
  console.log("No test ran.");
  failed++;
}

if (withCoverage) {
  console.log("\nCoverage (reports in coverage/)\n");
  for (const check of coverage) await runCheck(check);
}

if (!process.env.BASE_SEPOLIA_RPC_URL) {
  console.log("\nNot run: the flow on a fork of the public chain 84532; BASE_SEPOLIA_RPC_URL is not set.");
}
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed === 0 ? 0 : 1;
