import type { BoundedAnswer } from "@hardhat-identity/protocol/chain/boundedCalls";
import { judgePolicy, type OnchainPolicy, PolicyError } from "@hardhat-identity/protocol/chain/policy";
import { listPolicyProblems, type PolicyProblem } from "@hardhat-identity/protocol/policy";
import { decodePolicy } from "@hardhat-identity/protocol/policyEncoding";
import type { Getter, Reading } from "./probe.ts";

/** The service's view of a consumer's answers: the policy, if they are one, and all its problems. */
export interface Judgement {
  readonly found: OnchainPolicy | undefined;
  readonly problems: readonly {
    rule: PolicyProblem["rule"] | "policy-not-answered";
    message: string;
  }[];
}

/**
 * Judges a consumer's answers by the service's rules. Lists every problem; the service stops at the first.
 *
 * @param consumer Name of the consumer for messages.
 */
export function judgeAnswers(consumer: string, answers: readonly BoundedAnswer[]): Judgement {
  try {
    return { found: judgePolicy(consumer, answers), problems: [] };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    const { code, found, message } = error;
    if (found !== undefined) return { found, problems: [...listPolicyProblems(found.policy)] };
    const rule = code === "contract_not_found" ? "policy-not-answered" : ruleOfEncoding(answers);
    return { found, problems: [{ rule, message }] };
  }
}

function ruleOfEncoding([provider, conditions]: readonly BoundedAnswer[]): PolicyProblem["rule"] {
  const decoded =
    provider &&
    conditions &&
    decodePolicy(
      { provider: provider.data, conditions: conditions.data },
      { provider: provider.size, conditions: conditions.size },
    );
  return decoded && "rule" in decoded ? decoded.rule : "policy-not-canonical";
}

/** Reports the state that a getter of the policy reads; `undefined` if it reads none. */
export function judgeConstancy(
  getter: Getter,
  { reads, changing }: Pick<Reading, "reads" | "changing">,
): { getter: Getter; rule: "policy-not-constant" | "policy-in-storage"; message: string } | undefined {
  const seen = reads[getter];
  if (seen.length === 0) return undefined;
  const remedy = "Return literals, constants or immutables.";
  if (seen.every((each) => each === "storage")) {
    const message = `${getter}() reads storage: it must never be written, it is empty behind a proxy, and every verification pays for it. ${remedy}`;
    return { getter, rule: "policy-in-storage", message };
  }
  const differs = changing.includes(getter)
    ? ", and its answer differs for another caller or in another block"
    : "";
  const message = `${getter}() reads ${seen.join(" and ")}${differs}; a policy must never change. ${remedy}`;
  return { getter, rule: "policy-not-constant", message };
}
