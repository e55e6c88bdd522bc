import { Interface } from "ethers";
import { readArtifact } from "../../../ignition/artifacts.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import type { SignedVerification } from "../../../protocol/verification.ts";
import { describeRevert, findRevertData, type Revert } from "./revert.ts";

/** What the registry says of a verification. */
export interface CheckResult {
  readonly valid: boolean;
  /** What it reverts with, such as `VerificationExpired(1700000000)`. */
  readonly revert?: string;
  /** The refusal in words. */
  readonly reason?: string;
}

/** Asks the registry whether a consumer would accept a verification of a user now; sends no transaction. */
export async function checkVerification(
  node: Eip1193Connection,
  input: SignedVerification & { consumer: string; user: string; registry: string },
): Promise<CheckResult> {
  const { abi } = readArtifact("SignerRegistry");
  const data = new Interface(abi).encodeFunctionData("verifyVerification", [
    input.user,
    input.identityHash,
    input.expiration,
    input.signature,
  ]);
  // The registry reads the policy of its caller.
  const params = [{ from: input.consumer, to: input.registry, data }, "latest"];
  try {
    await node.request({ method: "eth_call", params });
    return { valid: true };
  } catch (error) {
    const revertData = findRevertData(error);
    if (revertData === undefined) throw error;
    const revert = describeRevert(revertData, [abi]);
    return { valid: false, revert: revert.text, reason: explain(revert, input) };
  }
}

function explain({ name, args }: Revert, input: { consumer: string; registry: string }): string {
  switch (name) {
    case "VerificationExpired":
      return `It expired at ${new Date(Number(args[0]) * 1000).toISOString()} by the chain's clock. Request a new one.`;
    case "InvalidSignature":
      return "The signature is not a canonical 65-byte signature (r, low s, v of 27 or 28), so no signer can be recovered.";
    case "NotSigner":
      return [
        `The signature recovers to ${args[0]}, which is not on the allowlist of ${input.registry}.`,
        "Either that signer was removed or never added, or the verification was made for another user, identity,",
        "expiration, consumer, policy, registry or chain: then the recovered address is one that nobody knows.",
      ].join(" ");
    case "PolicyNotFound":
      return `The contract ${input.consumer} does not answer provider() and conditions().`;
    default:
      return `${input.registry} is not a registry, or of another version.`;
  }
}
