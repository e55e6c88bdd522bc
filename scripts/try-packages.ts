// `npm run try-packages -- --toolbox mocha-ethers|viem --hardhat oldest|newest`: packs the packages, or takes those of
// `--packed <folder>`, installs them in a project outside the repository, without a lock file, runs the test that
// `identity init` adds, and starts `identity dev` and the service's command. CI runs all four combinations. It needs the
// npm registry. The packages run on the machine's own Node, which is the oldest in CI, and not on that of this repository.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { oldestHardhat } from "../tasks/internal/hardhatVersion.ts";
import { readArguments } from "./readArguments.ts";

const { values } = readArguments(import.meta.filename, {
  options: { toolbox: { type: "string" }, hardhat: { type: "string" }, packed: { type: "string" } },
});
const { toolbox = "mocha-ethers", hardhat = "oldest" } = values;
const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const box = `@nomicfoundation/hardhat-toolbox-${toolbox}`;
/** The versions of Hardhat and the toolbox. The newest hardhat-ethers does not take the oldest Hardhat. */
const named =
  hardhat === "newest"
    ? ["hardhat@latest", `${box}@latest`]
    : [
        `hardhat@${oldestHardhat}`,
        box,
        ...(toolbox === "viem" ? [] : ["@nomicfoundation/hardhat-ethers@4.1.0"]),
      ];

const config = `import { createRequire } from "node:module";
import toolbox from "@nomicfoundation/hardhat-toolbox-${toolbox}";
import { defineConfig } from "hardhat/config";
import hardhatIdentity from "hardhat-identity";

const path = createRequire(import.meta.url).resolve("solc/soljson.js");
export default defineConfig({
  plugins: [toolbox, hardhatIdentity],
  solidity: { version: "${devDependencies.solc}", path },
});
`;

const folder = mkdtempSync(join(tmpdir(), "hardhat-identity-try-"));
const project = join(folder, "project");
const packedFolder = resolve(values.packed ?? join(folder, "packed"));
try {
  if (values.packed === undefined) {
    runCommand(process.cwd(), process.execPath, "scripts/pack.ts", "--to", packedFolder);
  }
  write("package.json", JSON.stringify({ name: "stranger", private: true, type: "module" }));
  write("hardhat.config.ts", config);
  const packed = globSync(join(packedFolder, "*.tgz"));
  runCommand(
    project,
    "npm",
    "install",
    "--save-dev",
    "--no-fund",
    `solc@${devDependencies.solc}`,
    ...named,
    ...packed,
  );
  runCommand(project, "node", "--version");
  runCommand(project, "npx", "hardhat", "identity", "init");
  runCommand(project, "npx", "hardhat", "test");
  runCommand(project, "npx", "hardhat", "identity", "policy");
  runCommand(project, "npx", "--no", "--", "identity-signer", "--version");
  await startStack();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function runCommand(cwd: string, command: string, ...args: string[]): void {
  console.log(`$ ${[command, ...args].join(" ")}`);
  execFileSync(command, args, { cwd, stdio: "inherit", env: strangersEnvironment() });
}

/** The environment without this repository's programs, which have a Node among them. */
function strangersEnvironment(): NodeJS.ProcessEnv {
  const own = resolve("node_modules/.bin");
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => resolve(folder) !== own);
  return { ...process.env, PATH: folders.join(delimiter) };
}

/** Starts `identity dev`, which has the service in its own process, and ends it once it is ready. */
async function startStack(): Promise<void> {
  const ready = join(project, "ready.json");
  const hardhat = join(project, "node_modules/hardhat/dist/src/cli.js");
  const args = [hardhat, "identity", "dev", "--port", "0", "--rpc-port", "0", "--ready-file", ready];
  console.log(`$ node ${args.join(" ")}`);
  const stack = spawn("node", args, { cwd: project, stdio: "inherit", env: strangersEnvironment() });
  const ended = once(stack, "exit");
  while (stack.exitCode === null && !existsSync(ready)) await delay(100);
  if (stack.exitCode !== null) throw new Error("`identity dev` does not start.");
  stack.kill("SIGTERM");
  await ended;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(project, file)), { recursive: true });
  writeFileSync(join(project, file), text);
}
