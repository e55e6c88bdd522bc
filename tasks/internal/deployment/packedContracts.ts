import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildInfo } from "hardhat/types/artifacts";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { CompilationJob } from "hardhat/types/solidity";

/**
 * A contract of `@hardhat-identity/contracts` that is deployed from its artifact instead of compiled by the project.
 */
interface PackedContract {
  readonly buildInfo: BuildInfo;
  readonly buildInfoPath: string;
  readonly outputPath: string;
  /** For example `@hardhat-identity/contracts/artifacts/SignerRegistry.sol`. */
  readonly sourceName: string;
}

/**
 * Runs a function while the environment also has the precompiled contracts of the packages. Verifying one sends the
 * explorer the sources and settings that it was compiled from. The project need not compile it or configure its
 * compiler.
 */
export async function withPackedContracts<T>(
  hre: HardhatRuntimeEnvironment,
  run: () => Promise<T>,
): Promise<T> {
  const contracts = readPackedContracts();
  const { artifacts, solidity, config } = hre;
  const byId = new Map([...contracts.values()].map((contract) => [contract.buildInfo.id, contract]));
  const byFile = new Map(
    [...contracts.values()].map((contract) => [join(config.paths.root, contract.sourceName), contract]),
  );
  const compilers = [...new Set([...byId.values()].map(({ buildInfo }) => buildInfo.solcVersion))];
  const profiles = Object.entries(config.solidity.profiles).map(([name, profile]) => [
    name,
    {
      ...profile,
      compilers: [...profile.compilers, ...compilers.map((version) => ({ version, settings: {} }))],
    },
  ]);
  Object.assign(hre, {
    config: { ...config, solidity: { ...config.solidity, profiles: Object.fromEntries(profiles) } },
    artifacts: overlay(artifacts, {
      getAllFullyQualifiedNames: async () =>
        new Set([...(await artifacts.getAllFullyQualifiedNames()), ...contracts.keys()]),
      artifactExists: async (name) => contracts.has(name) || artifacts.artifactExists(name),
      getBuildInfoId: async (name) => contracts.get(name)?.buildInfo.id ?? artifacts.getBuildInfoId(name),
      getBuildInfoPath: async (id) => byId.get(id)?.buildInfoPath ?? artifacts.getBuildInfoPath(id),
      getBuildInfoOutputPath: async (id) => byId.get(id)?.outputPath ?? artifacts.getBuildInfoOutputPath(id),
    }),
    solidity: overlay(solidity, {
      async getCompilationJobs(files, options) {
        const [file = ""] = files;
        const input = byFile.get(file)?.buildInfo.input;
        if (input === undefined) return await solidity.getCompilationJobs(files, options);
        // A verification uses nothing else of a job.
        const job = { getSolcInput: async () => input } as CompilationJob;
        const jobs = new Map([[file, job]]);
        return {
          success: true,
          compilationJobsPerFile: jobs,
          indexedIndividualJobs: jobs,
          cacheHits: new Map(),
        };
      },
    }),
  });
  try {
    return await run();
  } finally {
    Object.assign(hre, { artifacts, solidity, config });
  }
}

/** Reads the contracts, by fully qualified name. In this repository there are none: it compiles them itself. */
function readPackedContracts(): Map<string, PackedContract> {
  const folder = fileURLToPath(new URL(".", import.meta.resolve("#build-info/SignerRegistry.json")));
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const contracts = files
    .filter((file) => file.endsWith(".output.json"))
    .map((file): [string, PackedContract] => {
      const name = file.replace(".output.json", "");
      const buildInfoPath = join(folder, `${name}.json`);
      const buildInfo: BuildInfo = JSON.parse(readFileSync(buildInfoPath, "utf8"));
      const [sourceName = ""] = Object.keys(buildInfo.userSourceNameMap);
      return [
        `${sourceName}:${name}`,
        { buildInfo, buildInfoPath, outputPath: join(folder, file), sourceName },
      ];
    });
  return new Map(contracts);
}

/** Returns the object with some members replaced. */
function overlay<T extends object>(object: T, members: Partial<T>): T {
  return new Proxy(object, {
    get(_, name) {
      const value = Reflect.get(name in members ? members : object, name);
      return typeof value === "function" ? value.bind(object) : value;
    },
  });
}
