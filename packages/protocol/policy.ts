import { catalogue } from "./catalogue.ts";
import { isTraitValue, type Traits } from "./traits.ts";

/** One requirement on a credential, as a consumer contract declares it. */
export interface Condition {
  readonly name: string;
  readonly op: string;
  readonly value: string;
}

/** A consumer contract's requirements: one provider, and one or more conditions that must all hold. */
export interface Policy {
  readonly provider: string;
  readonly conditions: readonly Condition[];
}

/** The limits of a policy that the service accepts. Lengths are UTF-8 bytes. */
export const policyLimits = { conditions: 32, stringBytes: 256 } as const;

/** One reason why the service does not accept a policy. */
export interface PolicyProblem {
  /** The kind of problem. */
  readonly rule:
    | "no-condition"
    | "policy-too-large"
    | "policy-not-canonical"
    | "unsupported-provider"
    | "unsupported-condition"
    | "unsupported-operator"
    | "unsupported-value";
  /** One sentence. */
  readonly message: string;
}

/** One sentence about the first problem of a policy; `undefined` when it has none. */
export function findPolicyProblem(policy: Policy): string | undefined {
  return listPolicyProblems(policy).next().value?.message;
}

/** All problems of a policy. */
export function* listPolicyProblems({ provider, conditions }: Policy): Generator<PolicyProblem, undefined> {
  const { length } = conditions;
  if (length === 0) {
    yield { rule: "no-condition", message: "The policy has no condition; it needs at least one." };
  }
  if (length > policyLimits.conditions) {
    const message = `The policy has ${length} conditions; at most ${policyLimits.conditions} are served.`;
    yield { rule: "policy-too-large", message };
  }
  const texts = [provider, ...conditions.flatMap((c) => [c.name, c.op, c.value])];
  if (texts.some((text) => new TextEncoder().encode(text).length > policyLimits.stringBytes)) {
    const message = `The policy has a string of more than ${policyLimits.stringBytes} bytes.`;
    yield { rule: "policy-too-large", message };
  }
  const traits = catalogue.get(provider);
  if (traits === undefined) {
    const message = `Unknown provider ${quote(provider)}; known are ${[...catalogue.keys()].join(", ")}.`;
    yield { rule: "unsupported-provider", message };
    return;
  }
  for (const { name, op, value } of conditions) {
    const entry = traits.get(name);
    if (entry === undefined) {
      const message = `Provider ${provider} has no condition ${quote(name)}; it has ${[...traits.keys()].join(", ")}.`;
      yield { rule: "unsupported-condition", message };
      continue;
    }
    if (!entry.operators.some((known) => known === op)) {
      const message = `Condition ${name} does not take the operator ${quote(op)}; it takes ${entry.operators.join(", ")}.`;
      yield { rule: "unsupported-operator", message };
    }
    if (!isTraitValue(entry.type, value)) {
      const wanted = entry.type === "int" ? "a decimal integer without leading zeros" : "true or false";
      const message = `Condition ${name} needs ${wanted} as its value, not ${quote(value)}.`;
      yield { rule: "unsupported-value", message };
    }
  }
}

/**
 * The first condition that the traits do not meet, or `undefined` when all hold. A trait that is missing fails.
 *
 * @param policy One in which {@link findPolicyProblem} finds nothing.
 */
export function findUnmetCondition(policy: Policy, traits: Traits): Condition | undefined {
  return policy.conditions.find((condition) => !holds(policy.provider, condition, traits));
}

function holds(provider: string, { name, op, value }: Condition, traits: Traits): boolean {
  const trait = Object.hasOwn(traits, name) ? traits[name] : undefined;
  const type = catalogue.get(provider)?.get(name)?.type;
  if (trait === undefined || type === undefined || !isTraitValue(type, trait)) return false;
  if (type !== "int") return op === "eq" && trait === value;
  const left = BigInt(trait);
  const right = BigInt(value);
  switch (op) {
    case "eq":
      return left === right;
    case "gt":
      return left > right;
    case "gte":
      return left >= right;
    case "lt":
      return left < right;
    case "lte":
      return left <= right;
    default:
      return false;
  }
}

const quote = (text: string): string => JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
