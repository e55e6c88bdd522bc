import { findUnmetCondition, type Policy } from "./policy.ts";
import type { Traits } from "./traits.ts";

/** Why a credential does not satisfy a policy: the code of the service's error, and its sentence. */
export interface CredentialRefusal {
  readonly code: "needs_reauth" | "conditions_not_satisfied";
  /** The public sentence. */
  readonly detail: string;
  /**
   * For development only: names the failed condition and the account's value. In production, repeated requests would
   * reveal that value.
   */
  readonly developerDetail: string;
}

/**
 * Judges whether a credential satisfies a policy: first its age, then the conditions.
 *
 * @param input.cutoffBlock 0 for no cutoff.
 * @param input.cutoffTime When the cutoff's block was, unix seconds; `undefined` when it does not exist yet.
 * @param input.oldest The service accepts no older authentication, unix seconds.
 * @param input.authenticatedAt When the account was last proven, unix seconds.
 * @returns `undefined` when it does.
 */
export function judgeCredential(input: {
  policy: Policy;
  cutoffBlock: bigint;
  cutoffTime: number | undefined;
  oldest?: number;
  traits: Traits;
  authenticatedAt: number;
}): CredentialRefusal | undefined {
  const { policy, cutoffBlock, cutoffTime, traits } = input;
  if (cutoffBlock > 0n && (cutoffTime === undefined || input.authenticatedAt < cutoffTime)) {
    const detail =
      cutoffTime === undefined
        ? `Accounts must be verified after block ${cutoffBlock}, which does not exist yet.`
        : `The ${policy.provider} account was verified before block ${cutoffBlock}: verify it again.`;
    return { code: "needs_reauth", detail, developerDetail: detail };
  }
  if (input.authenticatedAt < (input.oldest ?? 0)) {
    const detail = `The ${policy.provider} account was verified too long ago: verify it again.`;
    return { code: "needs_reauth", detail, developerDetail: detail };
  }
  const unmet = findUnmetCondition(policy, traits);
  if (unmet === undefined) return undefined;
  const { name, op, value } = unmet;
  const account = `The ${policy.provider} account does not meet`;
  return {
    code: "conditions_not_satisfied",
    detail: `${account} the contract's conditions.`,
    developerDetail: `${account} the condition ${name} ${op} ${value}: its value is ${traits[name] ?? "missing"}.`,
  };
}
