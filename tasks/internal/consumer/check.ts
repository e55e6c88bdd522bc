import { findRegistryProblem } from "@hardhat-identity/protocol/chain/registry";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { describeRevert } from "@hardhat-identity/protocol/reverts";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { registryInterface } from "./registryInterface.ts";
import { simulate } from "./simulate.ts";

/** The registry's answer about a verification. */
export interface CheckResult {
  readonly valid: boolean;
  /** The error of the revert, such as `VerificationExpired(1700000000)`. */
  readonly revert?: string;
  /** The reason for the refusal, in words. */
  readonly reason?: string;
}

/**
 * Asks the registry whether a consumer would accept a user's verification now. Sends no transaction.
 *
 * @throws InvalidInputError if there is no registry at the registry's address.
 */
export async function checkVerification(
  node: Eip1193Connection,
  input: SignedVerification & { consumer: string; user: string; registry: string },
): Promise<CheckResult> {
  const data = registryInterface.encodeFunctionData("verifyVerification", [
    input.user,
    input.identityHash,
    input.expiration,
    input.signature,
  ]);
  // A registry that accepts returns nothing, and so does a contract that accepts every call.
  const problem = await findRegistryProblem(node, input.registry);
  if (problem !== undefined) throw new InvalidInputError(`${problem} Name the registry.`);
  // The registry reads the policy of its caller.
  const result = await simulate(node, { from: input.consumer, to: input.registry, data }, "latest");
  if ("answer" in result && result.answer === "0x") return { valid: true };
  const revertData = "revert" in result ? result.revert : result.answer;
  const { text, meaning } = describeRevert(revertData, { registry: input.registry });
  return { valid: false, revert: text, reason: meaning ?? `${input.registry} has another version.` };
}
