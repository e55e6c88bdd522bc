import { plural } from "@hardhat-identity/console/plural";
import { style, visibleLine } from "@hardhat-identity/console/print";
import type { Finding } from "hardhat-identity/internal/testing/attack";
import type { Attacked } from "./attack.ts";
import { short } from "./functions.ts";
import type { Closed } from "./invented.ts";
import type { Tried } from "./rehearse.ts";

/** Describes the attacks for people: for each claim a table, then each fault with the transactions that show it. */
export function describeAttacks(contract: string, { rehearsals, untried }: Attacked): string {
  const tables = rehearsals.map(({ says, entryPoint, tried, closed = [] }) =>
    [
      style("bold", `Attack on ${says ?? entryPoint}`),
      ...tried.map(describeTried),
      ...(closed.length > 0
        ? [visibleLine(`closed     ${closed.map((name) => short({ name })).join(", ")}`)]
        : []),
    ].join("\n"),
  );
  const findings = rehearsals.flatMap((each) => each.findings);
  return [
    ...tables,
    ...findings.map(describeFinding),
    ...untried.map(describeClosed),
    summarize(contract, { rehearsals, untried }),
  ].join("\n\n");
}

function describeTried({ attack, result, refusal }: Tried): string {
  if (result === "found") return `${style("red", "found")}      ${attack}`;
  if (result === "held") return `${style("green", "held")}       ${attack}`;
  return visibleLine(`${style("yellow", "not tried")}  ${attack}: others are refused, too: ${refusal}`);
}

function describeFinding({ message, change, transactions }: Finding): string {
  const steps = transactions.map(({ what, hash }, i) =>
    visibleLine(`  ${i + 1}. ${what} ${hash.slice(0, 12)}…`),
  );
  const changed = change === undefined ? [] : [visibleLine(`  Changed: ${change}`)];
  return [`${style("red", "fault")}  ${visibleLine(message)}`, ...changed, ...steps].join("\n");
}

/** Says why nothing could be tried at a function. */
export const sayClosed = ({ entryPoint, refusal }: Closed): string =>
  entryPoint === "" || entryPoint === "constructor"
    ? refusal
    : `${entryPoint} reverts with ${refusal} for all arguments that were invented. Show a claim in a test, or pass arguments as --args.`;

const describeClosed = (closed: Closed): string =>
  visibleLine(`${style("yellow", "not tried")}  ${sayClosed(closed)}`);

function summarize(contract: string, { rehearsals, untried }: Attacked): string {
  const all = rehearsals.flatMap(({ tried }) => tried);
  const count = (result: Tried["result"]) => all.filter((each) => each.result === result).length;
  const attacks = plural(count("held") + count("found"), "attack");
  const faults = rehearsals.flatMap(({ findings }) => findings).length;
  const open = untried.length + count("not tried");
  const rest = open > 0 ? `, and ${open} not tried` : "";
  if (faults > 0) return style("red", `${contract}: ${plural(faults, "fault")} found by ${attacks}${rest}.`);
  return style(open > 0 ? "yellow" : "green", `${contract}: no fault found by ${attacks}${rest}.`);
}
