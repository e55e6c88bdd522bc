import { resolve } from "node:path";
import hre from "hardhat";
import type { Artifact } from "hardhat/types/artifacts";

/** Reads the data with which an explorer reproduces a contract: its interface, and a build info as Hardhat writes it. */
export async function readBuildInfo({ abi, ...artifact }: Artifact, sourceName: string, id: string) {
  const file = resolve(artifact.sourceName);
  const jobs = await hre.solidity.getCompilationJobs([file], { force: true, quiet: true });
  const job = jobs.success ? jobs.compilationJobsPerFile.get(file) : undefined;
  if (job === undefined) throw new Error(`${artifact.sourceName} cannot be compiled.`);
  return {
    _format: "hh3-sol-build-info-1",
    id,
    solcVersion: job.solcConfig.version,
    solcLongVersion: job.solcLongVersion,
    compilerType: "solc",
    userSourceNameMap: { [sourceName]: artifact.inputSourceName ?? "" },
    input: await job.getSolcInput(),
    abi,
  };
}
