import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const compiledTo = "artifacts/contracts";

/** `@hardhat-identity/contracts`: the Solidity at its root, and what was compiled of it. */
export function stageContracts(folder: string): void {
  // The lens and the wallet's executor are the plugin's: their compiled code is enough.
  for (const file of globSync("**/*.sol", {
    cwd: "contracts",
    exclude: ["{lens,wallet}/**", "**/*.t.sol"],
  })) {
    cpSync(join("contracts", file), join(folder, file));
  }
  const abis: [name: string, abi: readonly object[]][] = [];
  for (const file of globSync("**/*.json", { cwd: compiledTo, exclude: ["{lens,testing}/**"] }).sort()) {
    const artifact = JSON.parse(readFileSync(join(compiledTo, file), "utf8"));
    writeJson(join(folder, "artifacts", file), {
      ...artifact,
      sourceName: artifact.sourceName.replace(/^contracts\//, "@hardhat-identity/contracts/"),
    });
    if (!file.startsWith("wallet/")) abis.push([artifact.contractName, artifact.abi]);
  }
  for (const [name, abi] of abis) writeJson(join(folder, "abi", `${name}.json`), abi);
  const constants = abis.map(([name, abi]) => [abiName(name), abi] as const);
  write(
    join(folder, "abi/index.js"),
    constants.map(([name, abi]) => `export const ${name} = ${JSON.stringify(abi)};\n`).join(""),
  );
  write(
    join(folder, "abi/index.d.ts"),
    constants.map(([name, abi]) => `export declare const ${name}: ${literalType(abi)};\n`).join(""),
  );
}

/** `SignerRegistry` → `signerRegistryAbi`. */
const abiName = (contract: string) => `${contract.charAt(0).toLowerCase()}${contract.slice(1)}Abi`;

/** The type that `as const` gives. */
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
