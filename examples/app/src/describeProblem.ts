import { IdentityError } from "@hardhat-identity/client";
import { airdropAbi } from "@hardhat-identity/contracts/abi";
import { decodeErrorResult, type Hex } from "viem";

const words: Readonly<Record<string, string>> = {
  IdentityAlreadyUsed: "You have claimed before, with this wallet or another one.",
  VerificationExpired: "It took too long. Try again.",
};

/** Why something was refused, in a person's words. */
export function describeProblem(error: unknown): string {
  if (error instanceof IdentityError && error.code === "client_user_rejected") {
    return "You declined in your wallet. Nothing was sent.";
  }
  if (error instanceof IdentityError && error.revertData !== undefined) {
    return describeRevert(error.revertData as Hex) ?? error.message;
  }
  return error instanceof Error ? error.message : String(error);
}

function describeRevert(data: Hex): string | undefined {
  try {
    const { errorName } = decodeErrorResult({ abi: airdropAbi, data });
    return words[errorName] ?? `The contract refuses: ${errorName}.`;
  } catch {
    // An error of a contract that is not known here.
    return undefined;
  }
}
