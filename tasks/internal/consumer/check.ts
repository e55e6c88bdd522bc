import { Interface } from "ethers";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { describeRevert } from "../../../protocol/reverts.ts";
import { readRpcError } from "../../../protocol/rpcError.ts";
import type { SignedVerification } from "../../../protocol/verification.ts";

const registryInterface = new Interface([
  "function verifyVerification(address user, bytes32 identityHash, uint40 expiration, bytes signature) view",
]);

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
 * @throws InvalidInputError if there is no contract at the registry's address.
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
  // The registry returns no data when it accepts, and neither does an address without code.
  const code = await node.request({ method: "eth_getCode", params: [input.registry, "latest"] });
  if (code === "0x") {
    throw new InvalidInputError(
      `There is no contract at ${input.registry} on this chain; name the registry.`,
    );
  }
  // The registry reads the policy of its caller.
  const params = [{ from: input.consumer, to: input.registry, data }, "latest"];
  try {
    await node.request({ method: "eth_call", params });
    return { valid: true };
  } catch (error) {
    const { data: revertData } = readRpcError(error);
    if (revertData === undefined) throw error;
    const { text, meaning } = describeRevert(revertData, { registry: input.registry });
    const unknown = `${input.registry} is not a registry, or has another version.`;
    return { valid: false, revert: text, reason: meaning ?? unknown };
  }
}
