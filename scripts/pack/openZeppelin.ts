import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path/posix";

const { resolve } = createRequire(import.meta.url);

/** How OpenZeppelin compiled what it published. The package does not say so: check it by compiling after an update. */
const published = {
  version: "5.7.0",
  solcLongVersion: "0.8.35+commit.47b9dedd",
  settings: { optimizer: { enabled: true, runs: 200 } },
} as const;

/**
 * Reads a contract as OpenZeppelin compiled it, with the data by which an explorer reproduces it, as `readBuildInfo` does.
 *
 * @param sourceName Such as `contracts/access/manager/AccessManager.sol`.
 */
export function readOpenZeppelin(sourceName: string, name: string) {
  const { version } = JSON.parse(read("package.json"));
  if (version !== published.version) {
    throw new Error(`Find out how OpenZeppelin Contracts ${version} was compiled, and correct it here.`);
  }
  const artifact = JSON.parse(read(`build/contracts/${name}.json`));
  const [solcVersion] = published.solcLongVersion.split("+");
  const buildInfo = {
    _format: "hh3-sol-build-info-1",
    id: name,
    solcVersion,
    solcLongVersion: published.solcLongVersion,
    compilerType: "solc",
    userSourceNameMap: { [sourceName]: sourceName },
    input: {
      language: "Solidity",
      settings: {
        optimizer: published.settings.optimizer,
        outputSelection: { "*": { "*": ["abi", "evm.bytecode", "evm.deployedBytecode", "metadata"] } },
      },
      sources: readSources(sourceName),
    },
    abi: artifact.abi,
  };
  return { artifact, buildInfo };
}

/** Reads a source and all that it imports. OpenZeppelin compiled them below `contracts/`, which the package leaves out. */
function readSources(sourceName: string, found: Record<string, { content: string }> = {}) {
  if (found[sourceName] !== undefined) return found;
  const content = read(sourceName.replace(/^contracts\//, ""));
  found[sourceName] = { content };
  for (const [, path = ""] of content.matchAll(/^import .*from "(.+)";$/gm)) {
    readSources(join(dirname(sourceName), path), found);
  }
  return found;
}

const read = (path: string) => readFileSync(resolve(`@openzeppelin/contracts/${path}`), "utf8");
