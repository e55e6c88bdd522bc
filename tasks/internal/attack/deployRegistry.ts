import { AbiCoder, concat } from "ethers";
import { readArtifact } from "../../../ignition/artifacts.ts";
import { checksumAddress } from "../../../protocol/address.ts";
import { development } from "../../../protocol/development.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Stage } from "./stage.ts";

/** Deploys a registry that accepts our verifications. */
export async function deployRegistry(stage: Stage, owner: string): Promise<string> {
  const args = AbiCoder.defaultAbiCoder().encode(["address", "address[]"], [owner, [development.signer]]);
  const { bytecode } = readArtifact("SignerRegistry");
  const outcome = await stage.send({ from: owner, data: concat([bytecode, args]) });
  if ("done" in outcome) return checksumAddress(outcome.done.created ?? "");
  throw new InvalidInputError(`SignerRegistry cannot be deployed on this chain: ${outcome.revert}.`);
}
