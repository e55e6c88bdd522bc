import { plural } from "@hardhat-identity/console/plural";
import { style, visibleLine } from "@hardhat-identity/console/print";
import type { Finding } from "hardhat-identity/internal/testing/attack";
import { everyAttack, type Untried } from "./attack.ts";
import type { Rehearsal } from "./attackConsumer.ts";

/** Describes a rehearsal for people: a table of attacks, then each fault with the transactions that show it. */
export function describeRehearsal(contract: string, rehearsal: Rehearsal): string {
  const { findings, untried, tried } = rehearsal;
  const width = Math.max("Attack".length, ...tried.map(({ attack }) => attack.length));
  const [only = "", ...more] = new Set(tried.map(({ entryPoint }) => entryPoint).filter(Boolean));
  const isOne = only !== "" && more.length === 0;
  const heading = isOne ? `Attack on ${only}` : `${"Attack".padEnd(width)}  Function`;
  const header = style("bold", `       ${heading}`);
  const rows = tried.map(({ attack, entryPoint, isFound }) => {
    const result = isFound ? style("red", "found") : style("green", "held ");
    return `${result}  ${isOne ? attack : `${attack.padEnd(width)}  ${entryPoint}`.trimEnd()}`;
  });
  return [
    ...(rows.length > 0 ? [[header, ...rows].join("\n")] : []),
    ...findings.map(describeFinding),
    ...untried.map(describeUntried),
    summarize(contract, rehearsal),
  ].join("\n\n");
}

function describeFinding({ message, transactions }: Finding): string {
  const steps = transactions.map(({ what, hash }, i) =>
    visibleLine(`  ${i + 1}. ${what} ${hash.slice(0, 12)}…`),
  );
  return [`${style("red", "fault")}  ${visibleLine(message)}`, ...steps].join("\n");
}

const describeUntried = (untried: Untried): string =>
  visibleLine(`${style("yellow", "not tried")}  ${sayUntried(untried)}`);

/** Says why something could not be tried. */
export const sayUntried = ({ entryPoint, revert }: Untried): string =>
  entryPoint === ""
    ? revert
    : `${entryPoint} reverts with ${revert} for all arguments: pass valid ones as --args.`;

function summarize(contract: string, { findings, untried, tried, total }: Rehearsal): string {
  const part = tried.length < total ? `${tried.length} of ` : "";
  const attacks = `${part}${plural(total, "attack")}`;
  if (findings.length > 0) {
    return style("red", `${contract}: ${plural(findings.length, "fault")} found by ${attacks}.`);
  }
  const blocked = untried.filter(({ attack }) => attack === everyAttack);
  if (blocked.length > 0) {
    return style("yellow", `${contract}: no fault found by ${attacks}, and ${blocked.length} not tried.`);
  }
  return style("green", `${contract}: no fault found by ${attacks}.`);
}
