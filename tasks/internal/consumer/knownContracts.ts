import { readArtifact } from "@hardhat-identity/ignition/artifacts";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { CompiledContract } from "./compiledContract.ts";

/** The consumers that `identity dev` deploys. The current project need not have compiled them. */
const exampleConsumers = [
  "Airdrop",
  "IncentiveProgram",
  "MembershipPass",
  "VerifiedVault",
  "Ballot",
] as const;

/** Reads the contracts by which a deployed one can be recognized: the project's, and the examples. */
export async function readKnownContracts(hre: HardhatRuntimeEnvironment): Promise<CompiledContract[]> {
  const own = await readContracts<CompiledContract>(hre.artifacts);
  return [...own, ...exampleConsumers.map((name): CompiledContract => readArtifact(`examples/${name}`))];
}

/** Reads every compiled contract of a project. */
export async function readContracts<Contract>(artifacts: {
  getAllFullyQualifiedNames(): Promise<ReadonlySet<string>>;
  readArtifact(name: string): Promise<Contract>;
}): Promise<Contract[]> {
  const names = [...(await artifacts.getAllFullyQualifiedNames())];
  return await Promise.all(names.map((name) => artifacts.readArtifact(name)));
}
