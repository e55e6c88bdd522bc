import { AbiCoder, dataSlice, Interface, zeroPadBytes } from "ethers";
import { checksumAddress } from "../protocol/address.ts";
import type { Eip1193Connection } from "../protocol/eip1193.ts";
import { InvalidInputError } from "../protocol/errors.ts";
import { verificationDomain } from "../protocol/verification.ts";
import { type BoundedAnswer, type BoundedCall, boundedCalls, getterCall } from "./boundedCalls.ts";

const registryInterface = new Interface(["function isSigner(address account) view returns (bool)"]);

/**
 * Says in one sentence why what stands at an address is no registry; `undefined` when it is one, by its EIP-712 domain
 * (EIP-5267), byte for byte, as consumers want it.
 */
export async function findRegistryProblem(
  node: Eip1193Connection,
  registry: string,
): Promise<string | undefined> {
  const [chainId, [answer]] = await Promise.all([
    node.request({ method: "eth_chainId" }),
    boundedCalls(node, [getterCall(registry, "eip712Domain()", 1_024)]),
  ]);
  if (!answer?.hasCode) return describeMissing(registry);
  const expected = encodeDomain(Number(chainId), registry);
  return answer.success && answer.data === expected ? undefined : describeAnother(registry);
}

/** What an operator does about it. */
export const configureRegistry = "Set IDENTITY_REGISTRY to the deployed SignerRegistry.";

const describeMissing = (address: string) => `There is no contract at ${address} on this chain.`;
const describeAnother = (address: string) => `The contract ${address} is not a SignerRegistry.`;

/** What `eip712Domain()` answers: name, version, chain and contract are there; a salt and extensions are not. */
function encodeDomain(chainId: number, registry: string): string {
  const { name, version, verifyingContract } = verificationDomain({ chainId, registry });
  return AbiCoder.defaultAbiCoder().encode(
    ["bytes1", "string", "string", "uint256", "address", "bytes32", "uint256[]"],
    ["0x0f", name, version, chainId, verifyingContract, zeroPadBytes("0x", 32), []],
  );
}

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
  if (!answer?.hasCode) return `${describeMissing(registry)} ${configureRegistry}`;
  if (!answer.success || answer.size !== 32) return `${describeAnother(registry)} ${configureRegistry}`;
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
  if (!answer?.hasCode) throw new InvalidInputError(describeMissing(consumer));
  if (!answer.success || answer.size !== 32 || !answer.data.startsWith(`0x${"00".repeat(12)}`)) {
    throw new InvalidInputError(`The contract ${consumer} does not answer registry(); name the registry.`);
  }
  return checksumAddress(dataSlice(answer.data, 12));
}
