import { plural } from "@hardhat-identity/console/plural";
import { style } from "@hardhat-identity/console/print";
import type { LintReport } from "./lint.ts";
import { type Finding, lintingPage, type Severity } from "./rules.ts";

const styles = { error: "red", warning: "yellow" } as const satisfies Record<Severity, string>;

/** Counts the findings of a severity. */
export const count = (findings: readonly Finding[], severity: Severity) =>
  findings.filter((each) => each.severity === severity).length;

/** Describes a report for people: findings by file and line, and a summary. */
export function describeReport({ consumers, findings }: LintReport): string {
  if (consumers.length === 0) {
    return "There is no consumer to check: no contract of this project extends VerifyOnce or VerifyConsumer.";
  }
  const found = findings.map(({ file, line, severity, rule, contract, message }) =>
    [`${file}:${line}  ${style(styles[severity], severity)}  ${rule}`, `  ${contract}: ${message}`].join(
      "\n",
    ),
  );
  return [...found, summarize({ consumers, findings })].join("\n\n");
}

function summarize({ consumers, findings }: LintReport): string {
  const unread = consumers.filter(
    ({ policy, unread }) => policy === undefined && unread !== undefined,
  ).length;
  const notRead = unread > 0 ? `, ${unread} not read` : "";
  const checked = `${plural(consumers.length - unread, "consumer")} checked${notRead}`;
  if (findings.length === 0) {
    return style(unread > 0 ? "yellow" : "green", `${checked}: no problems found.`);
  }
  const [errors, warnings] = [count(findings, "error"), count(findings, "warning")];
  const counted = `${checked}: ${plural(errors, "error")}, ${plural(warnings, "warning")}.`;
  return `${style(errors > 0 ? "red" : "yellow", counted)} Each rule is explained on ${lintingPage}`;
}
