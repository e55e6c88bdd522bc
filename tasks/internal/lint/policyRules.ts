import type { BoundedAnswer } from "../../../chain/boundedCalls.ts";
import { judgePolicy, type OnchainPolicy, PolicyError } from "../../../chain/policy.ts";
import { listPolicyProblems, type PolicyProblem } from "../../../protocol/policy.ts";
import { decodePolicy } from "../../../protocol/policyEncoding.ts";
import type { Getter, Reading } from "./probe.ts";

/** What the service would make of a consumer's answers: a policy where they are one, and everything wrong with it. */
export interface Judgement {
  readonly found: OnchainPolicy | undefined;
  readonly problems: readonly {
    rule: PolicyProblem["rule"] | "policy-not-answered";
    message: string;
    text?: string;
  }[];
}

/**
 * Judges what a consumer answered as the service does, to whom the first problem is enough.
 *
 * @param consumer What to call it.
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

/**
 * Says what a getter of the policy looks at that may change; `undefined` when its answer is the same for ever.
 *
 * @param onceWritten What of storage only the constructor writes, where that is all it looks at.
 */
export function judgeConstancy(
  getter: Getter,
  { reads, changing }: Pick<Reading, "reads" | "changing">,
  onceWritten?: readonly string[],
): { rule: "policy-not-constant" | "policy-in-storage"; message: string } | undefined {
  const seen = reads[getter];
  if (seen.length === 0) return undefined;
  const remedy = "Return literals, constants or immutables.";
  if (onceWritten !== undefined && seen.every((each) => each === "storage")) {
    const names = onceWritten.length > 0 ? ` (${onceWritten.join(", ")})` : "";
    const message = `${getter}() reads storage${names}: behind a proxy it is empty, and every verification pays for it. ${remedy}`;
    return { rule: "policy-in-storage", message };
  }
  const differs = changing.includes(getter)
    ? ", and does answer differently to another caller or in another block"
    : "";
  const message = `${getter}() reads ${seen.join(" and ")}${differs}; a policy must never change. ${remedy}`;
  return { rule: "policy-not-constant", message };
}
