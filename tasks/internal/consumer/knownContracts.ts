import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { readArtifact } from "../../../ignition/artifacts.ts";
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
  const names = [...(await hre.artifacts.getAllFullyQualifiedNames())];
  const own = await Promise.all(names.map((name) => hre.artifacts.readArtifact(name)));
  return [...own, ...exampleConsumers.map((name): CompiledContract => readArtifact(`examples/${name}`))];
}
