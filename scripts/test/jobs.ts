import { existsSync } from "node:fs";
import { readBuilt } from "../built.ts";
import { usesContracts } from "./usesContracts.ts";

/** A command in the queue. */
export interface Job {
  readonly name: string;
  readonly command: string;
  /** Set for a job that makes something for the tests. */
  readonly makes?: "contracts" | "packages";
  /** The job that must succeed first. */
  readonly needs?: Job;
  /** Test files that must be in the job's report. A job without a report is a check, which passes or fails as one. */
  readonly files?: readonly string[];
}

const { uses } = await import(new URL("../../.dependency-cruiser.mjs", import.meta.url).href);

const contracts: Job = {
  name: "Contracts compile without a warning",
  command: "hardhat build --no-tests --quiet",
  makes: "contracts",
};
const faults: Job = {
  name: "Faults in what has changed are noticed",
  command: "node scripts/faults.ts --changed",
  needs: contracts,
  files: [],
};

/**
 * Plans what runs before the test files, and which checks run beside them.
 *
 * @param run.isPart Whether only some test files were asked for.
 * @param run.files The test files that will run.
 * @param run.packed The folder for the npm packages.
 */
export function planJobs(run: {
  readonly isPart: boolean;
  readonly isCoverage: boolean;
  readonly tier: "quick" | "long";
  readonly files: readonly string[];
  readonly solidityFiles: readonly string[];
  readonly packed: string;
}): Job[] {
  const { isPart, isCoverage, tier, files, solidityFiles, packed } = run;
  const solidity: Job = {
    name: "Solidity tests",
    command: `node scripts/test/solidity.ts ${isPart ? solidityFiles.join(" ") : ""}`,
    files: solidityFiles,
  };
  if (isPart) {
    // Solidity tests have a build of their own.
    const needsBuild = readBuilt(process.cwd()) !== "all" && files.some(usesContracts);
    return [...(solidityFiles.length > 0 ? [solidity] : []), ...(needsBuild ? [contracts] : [])];
  }
  const pack: Job = {
    name: "The npm packages are packed",
    command: `node scripts/pack.ts --release --to ${packed}`,
    makes: "packages",
    needs: contracts,
  };
  // The Solidity coverage runs the Solidity tests itself.
  if (isCoverage) return [contracts, pack];
  return tier === "long" ? [contracts, pack, faults] : [contracts, solidity, ...listChecks()];
}

function listChecks(): Job[] {
  const sources = [...Object.keys(uses), "scripts", "test", "bench"].filter((folder) => existsSync(folder));
  return [
    {
      name: "Words are spelled right",
      command: "cspell --cache --cache-location cache/cspell --no-progress --no-summary --dot .",
    },
    {
      name: "Solidity and Markdown are formatted",
      command: "prettier --check --cache --cache-location cache/prettier --log-level warn '**/*.{sol,md}'",
    },
    {
      name: "TypeScript and JSON are formatted and linted",
      command: "biome ci --error-on-warnings --colors=off .",
    },
    { name: "Solidity is linted", command: "solhint --max-warnings 0 --disc 'contracts/**/*.sol'" },
    {
      name: "Imports run downwards",
      command: `depcruise --config .dependency-cruiser.mjs ${sources.join(" ")}`,
      needs: contracts,
    },
    {
      name: "Types check",
      command:
        "tsc -p . --incremental --tsBuildInfoFile cache/tsc.json && tsc -p packages/verify-page && tsc -p packages/client",
      needs: contracts,
    },
  ];
}
