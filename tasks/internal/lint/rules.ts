/** Every rule → how bad it is to break it. docs/linting.md explains each, and a test compares the two. */
export const rules = {
  "no-condition": "error",
  "policy-too-large": "error",
  "policy-not-canonical": "error",
  "policy-not-answered": "error",
  "unsupported-provider": "error",
  "unsupported-condition": "error",
  "unsupported-operator": "error",
  "unsupported-value": "error",
  "policy-not-constant": "error",
  "policy-in-storage": "warning",
  "identity-not-remembered": "error",
  "remembered-before-verified": "warning",
  "verification-not-checked": "error",
  "cutoff-not-answered": "error",
  "cutoff-beyond-head": "error",
  "cutoff-of-another-chain": "error",
} as const satisfies Record<string, Severity>;

/** An error keeps the consumer from working as its developer means it to; a warning is worth a look. */
export type Severity = "error" | "warning";

export type Rule = keyof typeof rules;

/** Where in the project something stands. */
export interface Place {
  /** Path from the project's root. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** A rule that a consumer breaks. */
export interface Finding {
  readonly rule: Rule;
  readonly severity: Severity;
  /** Name of the contract; absent for one that is known by its address alone. */
  readonly contract?: string;
  readonly file?: string;
  readonly line?: number;
  /** One sentence: what is wrong, and what to do where that does not say it. */
  readonly message: string;
  /** Where the rule is explained. */
  readonly page: string;
}

/** Where all rules are explained. */
export const lintingPage = "https://github.com/hardhat-identity/hardhat-identity/blob/main/docs/linting.md";

/** Composes a finding. */
export function finding(rule: Rule, message: string, place?: Place & { contract: string }): Finding {
  return { rule, severity: rules[rule], ...place, message, page: `${lintingPage}#${rule}` };
}
