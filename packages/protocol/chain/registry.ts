import { addressWord, encodeArray, encodeSequence, encodeString, uintWord } from "../abiWords.ts";
import { checksumAddress } from "../address.ts";
import type { Eip1193Connection } from "../eip1193.ts";
import { InvalidInputError } from "../errors.ts";
import { functionSelector } from "../hashes.ts";
import { verificationDomain } from "../verification.ts";
import { type BoundedAnswer, type BoundedCall, boundedCalls, getterCall } from "./boundedCalls.ts";
import { abiReader } from "./internal/abiReader.ts";

const isSigner = functionSelector("isSigner(address)");

/**
 * Explains in one sentence why an address is not a registry; `undefined` if it is one. The test is its EIP-712 domain
 * (EIP-5267), byte for byte, as consumers check it.
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

/** Asks a registry for the signers on its allowlist, with room for a thousand; {@link decodeSigners} reads the answer. */
export const signersCall = (registry: string): BoundedCall => ({
  ...getterCall(registry, "signers()", 64 + 32 * 1_000),
  gasLimit: 3_000_000,
});

/**
 * Reads a registry's answer to {@link signersCall}: EIP-55 checksummed addresses.
 *
 * @throws Error when it is not a list of addresses.
 */
export function decodeSigners(data: string): string[] {
  const { number, address } = abiReader(data);
  const list = number(0);
  return Array.from({ length: number(list) }, (_, index) => checksumAddress(address(list + 32 + 32 * index)));
}

const describeMissing = (address: string) => `There is no contract at ${address} on this chain.`;
const describeAnother = (address: string) => `The contract ${address} is not a SignerRegistry.`;

/** The fields of `eip712Domain()`: name, version, chain and contract, without salt and extensions. */
function encodeDomain(chainId: number, registry: string): string {
  const { name, version, verifyingContract } = verificationDomain({ chainId, registry });
  const word = (hex: string) => ({ dynamic: false, hex });
  const fields = [
    word("0f".padEnd(64, "0")),
    encodeString(name),
    encodeString(version),
    word(uintWord(chainId)),
    word(addressWord(verifyingContract)),
    word(uintWord(0)),
    encodeArray([]),
  ];
  return `0x${encodeSequence(fields).hex}`;
}

/** A registry, and the signers to look up on its allowlist. */
export interface Allowlist {
  readonly registry: string;
  /** The signers whose keys a service holds, newest first. */
  readonly signers: readonly string[];
}

/** The result of looking signers up on an allowlist. */
export interface AllowlistReading {
  /** The signers on it, newest first. */
  readonly allowed: readonly string[];
  /** Why the registry would refuse their signatures; `undefined` if one of them is on it. */
  readonly problem: string | undefined;
  /** Set when the address is not that of a registry. */
  readonly kind?: "no-registry";
  /** The signers that the registry, which is one, does not have, newest first. */
  readonly missing?: readonly string[];
}

/** One call for each signer; {@link judgeAllowlist} takes their answers. */
export function allowlistCalls({ registry, signers }: Allowlist): BoundedCall[] {
  return signers.map((signer) => ({
    target: registry,
    data: `${isSigner}${addressWord(signer)}`,
    gasLimit: 200_000,
    sizeLimit: 32,
  }));
}

/** @param answers The answers to {@link allowlistCalls}, in order. */
export function judgeAllowlist(
  answers: readonly BoundedAnswer[],
  { registry, signers }: Allowlist,
): AllowlistReading {
  if (!answers.every(({ hasCode }) => hasCode)) {
    return { allowed: [], problem: describeMissing(registry), kind: "no-registry" };
  }
  if (!answers.every(({ success, size }) => success && size === 32)) {
    return { allowed: [], problem: describeAnother(registry), kind: "no-registry" };
  }
  const allowed = signers.filter((_, index) => BigInt(answers[index]?.data ?? 0) === 1n);
  const missing = signers.filter((signer) => !allowed.includes(signer));
  return {
    allowed,
    problem: allowed.length > 0 ? undefined : describeAbsence({ registry, signers }),
    missing,
  };
}

/** Describes, for an operator, a signer that was on the allowlist and no longer is. */
export const describeRemoval = (registry: string, signer: string): string =>
  `The signer ${signer} was removed from the allowlist of the registry ${registry}. Do not add it again: its key may have leaked. Follow docs/leaks.md, "A signing key has leaked".`;

/**
 * Describes signers that are not on the allowlist, with the call that adds the newest: a service with two keys is about
 * to use that one.
 */
function describeAbsence({ registry, signers: [newest = "", ...others] }: Allowlist): string {
  const remedy = `its owner must call addSigner(${newest}).`;
  return others.length === 0
    ? `The signer ${newest} is not on the allowlist of the registry ${registry}; ${remedy}`
    : `Neither the signer ${others.join()} nor the next one, ${newest}, is on the allowlist of the registry ${registry}; ${remedy}`;
}

/**
 * Reads the registry of a consumer.
 *
 * @throws InvalidInputError when the contract does not return one.
 */
export async function readRegistry(node: Eip1193Connection, consumer: string): Promise<string> {
  const [answer] = await boundedCalls(node, [registryCall(consumer)]);
  return judgeRegistry(consumer, answer);
}

/** The call that {@link judgeRegistry} decodes. */
export const registryCall = (consumer: string): BoundedCall => getterCall(consumer, "registry()", 32);

/**
 * Decodes the registry that a consumer returned.
 *
 * @throws InvalidInputError when it returned none.
 */
export function judgeRegistry(consumer: string, answer: BoundedAnswer | undefined): string {
  if (!answer?.hasCode) throw new InvalidInputError(describeMissing(consumer));
  if (!answer.success || answer.size !== 32 || !answer.data.startsWith(`0x${"00".repeat(12)}`)) {
    throw new InvalidInputError(`The contract ${consumer} does not answer registry(); name the registry.`);
  }
  return checksumAddress(`0x${answer.data.slice(-40)}`);
}
