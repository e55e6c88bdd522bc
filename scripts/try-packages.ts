// `npm run try-packages -- --toolbox mocha-ethers|viem --hardhat oldest|newest`: packs the packages, installs them in a
// project outside the repository, without a lock file, and runs the test that `identity init` adds. CI runs all four
// combinations. It needs the npm registry.
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { toolbox: { type: "string" }, hardhat: { type: "string" } } });
const { toolbox = "mocha-ethers", hardhat = "oldest" } = values;
const [ofStart, ofTests] = ["package.json", "test/tools/package.json"].map((file) =>
  JSON.parse(readFileSync(file, "utf8")),
);
const devDependencies = { ...ofStart.devDependencies, ...ofTests.devDependencies };

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
try {
  runCommand(process.cwd(), process.execPath, "scripts/pack.ts", "--to", join(folder, "packed"));
  write("package.json", JSON.stringify({ name: "stranger", private: true, type: "module" }));
  write("hardhat.config.ts", config);
  const box = `@nomicfoundation/hardhat-toolbox-${toolbox}`;
  const { peerDependencies } = JSON.parse(readFileSync(`node_modules/${box}/package.json`, "utf8"));
  // The newest of the toolbox's other plugins need a newer Hardhat.
  const old = ["hardhat", box, ...Object.keys(peerDependencies)].filter((name) => name in devDependencies);
  const named =
    hardhat === "newest"
      ? ["hardhat@latest", `${box}@latest`]
      : [...new Set(old)].map((name) => `${name}@${devDependencies[name]}`);
  const packed = globSync(join(folder, "packed/*.tgz"));
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
  runCommand(project, "npx", "hardhat", "identity", "init");
  runCommand(project, "npx", "hardhat", "test");
  runCommand(project, "npx", "hardhat", "identity", "policy");
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function runCommand(cwd: string, command: string, ...args: string[]): void {
  console.log(`$ ${[command, ...args].join(" ")}`);
  execFileSync(command, args, { cwd, stdio: "inherit" });
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(project, file)), { recursive: true });
  writeFileSync(join(project, file), text);
}
