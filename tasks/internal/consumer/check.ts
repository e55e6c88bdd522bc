import { Interface } from "ethers";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { describeRevert } from "../../../protocol/reverts.ts";
import { readRpcError } from "../../../protocol/rpcError.ts";
import type { SignedVerification } from "../../../protocol/verification.ts";

const registryInterface = new Interface([
  "function verifyVerification(address user, bytes32 identityHash, uint40 expiration, bytes signature) view",
]);

/** What the registry says of a verification. */
export interface CheckResult {
  readonly valid: boolean;
  /** What it reverts with, such as `VerificationExpired(1700000000)`. */
  readonly revert?: string;
  /** The refusal in words. */
  readonly reason?: string;
}

/**
 * Asks the registry whether a consumer would accept a verification of a user now; sends no transaction.
 *
 * @throws InvalidInputError when there is no contract at the registry's address.
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
  // It answers nothing when it accepts, and so does an address without code.
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
    const unknown = `${input.registry} is not a registry, or of another version.`;
    return { valid: false, revert: text, reason: meaning ?? unknown };
  }
}
