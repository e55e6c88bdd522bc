import { dataSlice, Interface } from "ethers";
import { checksumAddress } from "../protocol/address.ts";
import type { Eip1193Connection } from "../protocol/eip1193.ts";
import { InvalidInputError } from "../protocol/errors.ts";
import { type BoundedAnswer, type BoundedCall, boundedCalls, getterCall } from "./boundedCalls.ts";

const registryInterface = new Interface(["function isSigner(address account) view returns (bool)"]);

/** The call whose answer {@link describeAllowlistProblem} takes. */
export function allowlistCall(registry: string, signer: string): BoundedCall {
  const data = registryInterface.encodeFunctionData("isSigner", [signer]);
  return { target: registry, data, gasLimit: 200_000, sizeLimit: 32 };
}

/** Why the registry would refuse what the signer signs, and what to do; `undefined` when it is on the allowlist. */
export function describeAllowlistProblem(
  answer: BoundedAnswer | undefined,
  { registry, signer }: { registry: string; signer: string },
): string | undefined {
  if (!answer?.hasCode) {
    return `There is no contract at ${registry}; set IDENTITY_REGISTRY to the deployed SignerRegistry.`;
  }
  if (!answer.success || answer.size !== 32) {
    return `The contract ${registry} is not a SignerRegistry; set IDENTITY_REGISTRY to the deployed one.`;
  }
  if (BigInt(answer.data) !== 1n) {
    return `The signer ${signer} is not on the allowlist of the registry ${registry}; its owner must call addSigner(${signer}).`;
  }
  return undefined;
}

/**
 * Reads which registry a consumer asks.
 *
 * @throws InvalidInputError when it does not tell.
 */
export async function readRegistry(node: Eip1193Connection, consumer: string): Promise<string> {
  const [answer] = await boundedCalls(node, [getterCall(consumer, "registry()", 32)]);
  if (!answer?.hasCode) throw new InvalidInputError(`There is no contract at ${consumer} on this chain.`);
  if (!answer.success || answer.size !== 32 || !answer.data.startsWith(`0x${"00".repeat(12)}`)) {
    throw new InvalidInputError(`The contract ${consumer} does not answer registry(); name the registry.`);
  }
  return checksumAddress(dataSlice(answer.data, 12));
}
