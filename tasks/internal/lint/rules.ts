/** Every rule → its severity. docs/linting.md explains each rule, and a test compares the two. */
export const rules = {
  "no-condition": "error",
  "policy-too-large": "error",
  "policy-not-canonical": "error",
  "policy-not-answered": "error",
  "policy-not-read": "warning",
  "unsupported-provider": "error",
  "unsupported-condition": "error",
  "unsupported-operator": "error",
  "unsupported-value": "error",
  "policy-not-constant": "error",
  "policy-in-storage": "warning",
  "pace-senseless": "error",
  "cutoff-not-answered": "error",
  "cutoff-counts-blocks": "warning",
  "cutoff-beyond-head": "error",
  "cutoff-of-another-chain": "error",
} as const satisfies Record<string, Severity>;

/** An error keeps the consumer from working as intended; a warning is worth a look. */
export type Severity = "error" | "warning";

export type Rule = keyof typeof rules;

/** A line in a file of the project. */
export interface Place {
  /** Path from the project's root. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** A violation of a rule by a consumer. */
export interface Finding {
  readonly rule: Rule;
  readonly severity: Severity;
  /** Name of the contract; absent if only its address is known. */
  readonly contract?: string;
  readonly file?: string;
  readonly line?: number;
  /** One sentence: the problem and, unless obvious, the remedy. */
  readonly message: string;
  /** URL of the rule's explanation. */
  readonly page: string;
}

/** URL of the page that explains all rules and lists the attacks. */
export const lintingPage = "https://github.com/hardhat-identity/hardhat-identity/blob/main/docs/linting.md";

/** Where the attacks are listed. */
export const attackPage = `${lintingPage}#attack-a-consumer`;

/** Composes a finding. */
export function finding(rule: Rule, message: string, place?: Place & { contract: string }): Finding {
  return { rule, severity: rules[rule], ...place, message, page: `${lintingPage}#${rule}` };
}
