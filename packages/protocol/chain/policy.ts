import type { Eip1193Connection } from "../eip1193.ts";
import { InvalidInputError } from "../errors.ts";
import { findPolicyProblem, type Policy } from "../policy.ts";
import { decodePolicy, type EncodedPolicy, maxEncodedBytes } from "../policyEncoding.ts";
import { type BoundedAnswer, type BoundedCall, boundedCalls, getterCall } from "./boundedCalls.ts";
import { judgeRegistry, registryCall } from "./registry.ts";

/** A consumer's policy on the chain. */
export interface OnchainPolicy {
  readonly encoded: EncodedPolicy;
  readonly policy: Policy;
  /** Credentials that were last authenticated before this block are rejected; 0 for no cutoff. */
  readonly cutoffBlock: bigint;
}

/** The address has no contract, the contract has no policy, or the service does not accept its policy. */
export class PolicyError extends InvalidInputError {
  readonly code: "contract_not_found" | "invalid_policy";
  /** With `invalid_policy`: the policy, if it could be decoded. */
  readonly found: OnchainPolicy | undefined;

  constructor(code: PolicyError["code"], message: string, found?: OnchainPolicy) {
    super(message);
    this.code = code;
    this.found = found;
  }
}

/**
 * Reads a consumer's policy in one round trip, at a bounded cost even for a hostile contract.
 *
 * @throws PolicyError when the contract has no policy, or one that the service does not accept.
 */
export async function readPolicy(node: Eip1193Connection, consumer: string): Promise<OnchainPolicy> {
  return judgePolicy(consumer, await boundedCalls(node, policyCalls(consumer)));
}

/**
 * Reads a consumer's policy and the registry that it asks in one round trip.
 *
 * @returns `registry` throws InvalidInputError if the contract returned none.
 * @throws PolicyError as {@link readPolicy} does.
 */
export async function readPolicyAndRegistry(
  node: Eip1193Connection,
  consumer: string,
): Promise<OnchainPolicy & { registry(): string }> {
  const answers = await boundedCalls(node, [...policyCalls(consumer), registryCall(consumer)]);
  return { ...judgePolicy(consumer, answers), registry: () => judgeRegistry(consumer, answers.at(-1)) };
}

/** Gas for `conditions()`: enough to read 32 conditions from storage or to build the largest policy. */
const conditionsGas = 1_500_000;

/** The calls whose answers {@link judgePolicy} takes. */
export function policyCalls(consumer: string): BoundedCall[] {
  return [
    { ...getterCall(consumer, "provider()", maxEncodedBytes), required: true },
    {
      ...getterCall(consumer, "conditions()", maxEncodedBytes),
      gasLimit: conditionsGas,
      required: true,
    },
    getterCall(consumer, "cutoffBlock()", 32),
  ];
}

/**
 * Decodes the answers of a consumer's getters.
 *
 * @throws PolicyError
 */
export function judgePolicy(consumer: string, answers: readonly BoundedAnswer[]): OnchainPolicy {
  const [provider, conditions, cutoff] = answers;
  if (!provider?.hasCode) {
    throw new PolicyError("contract_not_found", `There is no contract at ${consumer} on this chain.`);
  }
  if (!provider.success || !conditions?.success) {
    throw new PolicyError(
      "contract_not_found",
      `The contract ${consumer} does not answer provider() and conditions().`,
    );
  }
  const cutoffBlock = readCutoff(cutoff);
  if (cutoffBlock === undefined) {
    throw new PolicyError(
      "contract_not_found",
      `The contract ${consumer} fails to answer cutoffBlock(): it must return a block's number, or 0 for none. A diamond whose fallback reverts with a message needs the function in a facet.`,
    );
  }
  const encoded = { provider: provider.data, conditions: conditions.data };
  const decoded = decodePolicy(encoded, { provider: provider.size, conditions: conditions.size });
  if (decoded === undefined) {
    throw new PolicyError(
      "contract_not_found",
      `${consumer} has no valid policy: provider() and conditions() return something else.`,
    );
  }
  if ("problem" in decoded) throw new PolicyError("invalid_policy", decoded.problem);
  const found = { encoded, policy: decoded.policy, cutoffBlock };
  const problem = findPolicyProblem(found.policy);
  if (problem !== undefined) throw new PolicyError("invalid_policy", problem, found);
  return found;
}

/** 0 if missing: a contract without the function reverts without data, or its fallback returns nothing. */
function readCutoff(answer: BoundedAnswer | undefined): bigint | undefined {
  if (answer === undefined || answer.exhausted) return undefined;
  if (answer.size === 0) return 0n;
  return answer.success && answer.size >= 32 ? BigInt(answer.data) : undefined;
}
