import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Artifact } from "hardhat/types/artifacts";
import { readBuildInfo } from "./buildInfo.ts";
import { readOpenZeppelin } from "./openZeppelin.ts";

const compiledTo = "artifacts/contracts";

/** Stages `@hardhat-identity/contracts`: the Solidity at its root, and the compiled artifacts. */
export async function stageContracts(folder: string): Promise<void> {
  // The lens, the wallet's executor and the attacker are internal to the plugin, which needs only their bytecode.
  for (const file of globSync("**/*.sol", {
    cwd: "contracts",
    exclude: ["{lens,wallet,attack}/**", "**/*.t.sol"],
  })) {
    cpSync(join("contracts", file), join(folder, file));
  }
  const abis: [constant: string, abi: Artifact["abi"]][] = [];
  for (const file of globSync("**/*.json", { cwd: compiledTo, exclude: ["{lens,testing}/**"] }).sort()) {
    const artifact: Artifact = JSON.parse(readFileSync(join(compiledTo, file), "utf8"));
    const { contractName: name, abi } = artifact;
    // Differs from the source's own name, because another compilation of that source may give other bytecode.
    const sourceName = `@hardhat-identity/contracts/artifacts/${dirname(file)}`;
    const { buildInfoId: _, ...rest } = artifact;
    const isPublic = !/^(wallet|attack)\//.test(file);
    const isDeployed = isPublic && artifact.bytecode !== "0x";
    const packed = { ...rest, sourceName, ...(isDeployed && { buildInfoId: name }) };
    writeJson(join(folder, "artifacts", file), packed);
    if (isPublic) {
      writeJson(join(folder, "abi", `${name}.json`), abi);
      abis.push([`${name.charAt(0).toLowerCase()}${name.slice(1)}Abi`, abi]);
    }
    if (isDeployed) {
      writeJson(join(folder, "build-info", `${name}.json`), await readBuildInfo(artifact, sourceName, name));
    }
  }
  // The module GuardedRegistry deploys it as OpenZeppelin compiled it.
  const manager = readOpenZeppelin("contracts/access/manager/AccessManager.sol", "AccessManager");
  writeJson(join(folder, "artifacts/openzeppelin/AccessManager.json"), manager.artifact);
  writeJson(join(folder, "build-info/AccessManager.json"), manager.buildInfo);
  const values = abis.map(([constant, abi]) => `export const ${constant} = ${JSON.stringify(abi)};\n`);
  const types = abis.map(([constant, abi]) => `export declare const ${constant}: ${literalType(abi)};\n`);
  write(join(folder, "abi/index.js"), values.join(""));
  write(join(folder, "abi/index.d.ts"), types.join(""));
}

/** Returns the type that `as const` gives to a value. */
function literalType(value: unknown): string {
  if (Array.isArray(value)) return `readonly [${value.map(literalType).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `readonly ${name}: ${literalType(member)}`);
  return `{ ${members.join("; ")} }`;
}

function writeJson(file: string, value: unknown): void {
  write(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
