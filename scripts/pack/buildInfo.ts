import { resolve } from "node:path";
import hre from "hardhat";
import type { Artifact } from "hardhat/types/artifacts";

/** Reads the data with which a compiler or an explorer reproduces a contract, in Hardhat's format. */
export async function readBuildInfo(artifact: Artifact, sourceName: string, id: string) {
  const file = resolve(artifact.sourceName);
  const jobs = await hre.solidity.getCompilationJobs([file], { force: true, quiet: true });
  const job = jobs.success ? jobs.compilationJobsPerFile.get(file) : undefined;
  if (job === undefined) throw new Error(`${artifact.sourceName} cannot be compiled.`);
  const inputSourceName = artifact.inputSourceName ?? "";
  const { abi, contractName, bytecode, deployedBytecode, immutableReferences = {} } = artifact;
  const evm = {
    bytecode: { object: bytecode.slice(2), linkReferences: {} },
    deployedBytecode: { object: deployedBytecode.slice(2), linkReferences: {}, immutableReferences },
  };
  return {
    buildInfo: {
      _format: "hh3-sol-build-info-1",
      id,
      solcVersion: job.solcConfig.version,
      solcLongVersion: job.solcLongVersion,
      compilerType: "solc",
      userSourceNameMap: { [sourceName]: inputSourceName },
      input: await job.getSolcInput(),
    },
    output: {
      _format: "hh3-sol-build-info-output-1",
      id,
      output: { contracts: { [inputSourceName]: { [contractName]: { abi, evm } } }, sources: {} },
    },
  };
}
