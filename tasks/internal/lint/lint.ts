import type { Policy } from "@hardhat-identity/protocol/policy";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { fillIn } from "../consumer/compiledContract.ts";
import { type ChainHead, judgeCutoff, judgeMoving, judgeSilence } from "./cutoffRules.ts";
import { contractFunctions, isIgnored } from "./functions.ts";
import { judgePace } from "./paceRule.ts";
import { judgeAnswers, judgeConstancy } from "./policyRules.ts";
import { l1Block, l1Number, openProbe, otherCode, type Probe } from "./probe.ts";
import { type Consumer, readConsumers } from "./project.ts";
import { type Finding, finding, type Place, type Rule } from "./rules.ts";
import { type SyntaxNode, typeOf } from "./syntaxTree.ts";

/** A consumer that was checked. */
export interface LintedConsumer extends Place {
  readonly name: string;
  readonly policy?: Policy;
  /** Decimal; absent if the cutoff is set at deployment or later. */
  readonly cutoffBlock?: string;
  /** Why the policy, or else its cutoff, could not be read. */
  readonly unread?: string;
}

/** The result of checking a project. */
export interface LintReport {
  readonly consumers: readonly LintedConsumer[];
  readonly findings: readonly Finding[];
}

/**
 * Checks every consumer of the project.
 *
 * @param chain The chain of the consumers, if it is known.
 */
export async function lintProject(hre: HardhatRuntimeEnvironment, chain?: ChainHead): Promise<LintReport> {
  const consumers: LintedConsumer[] = [];
  const findings: Finding[] = [];
  const sources = await readConsumers(hre);
  if (sources.length === 0) return { consumers, findings };
  const probe = await openProbe(hre);
  try {
    for (const consumer of sources) {
      const result = await lintConsumer(probe, consumer, chain);
      consumers.push(result.consumer);
      findings.push(...result.findings);
    }
  } finally {
    await probe.close();
  }
  return { consumers, findings };
}

async function lintConsumer(probe: Probe, consumer: Consumer, chain: ChainHead | undefined) {
  const { name, place, build, artifact } = consumer;
  const functions = contractFunctions(consumer);
  const findings: Finding[] = [];
  const report = (rule: Rule, message: string, at: SyntaxNode | undefined) => {
    if (isIgnored(rule, functions.commentsAt(at))) return;
    findings.push(finding(rule, message, { contract: name, ...((at && build.locate(at)) ?? place) }));
  };

  const cutoffGetter = functions.getter("cutoffBlock");
  const linked: LintedConsumer = { name, ...place };
  const leaveUnread = (why: string) => {
    const unread = `Its policy depends on ${why}; check it with --consumer after its deployment.`;
    report("policy-not-read", unread, consumer.definition);
    return { consumer: { ...linked, unread }, findings };
  };

  const readWith = (number: string, address: string) =>
    probe.read(
      fillIn(artifact, (name) => {
        const declaration = build.declarations.get(Number(name));
        // Without a declaration it is a library.
        return !declaration || /^t_(address|contract)/.test(typeOf(declaration)) ? address : number;
      }),
    );
  const reading = await readWith("00", "aa".repeat(20));
  const other = await readWith("01", "bb".repeat(20));
  const pace = reading.pace === other.pace ? judgePace(reading.pace) : undefined;
  if (pace !== undefined) report("pace-senseless", pace, functions.getter("pace"));
  const isConstructed = (i: number) => reading.answers[i]?.data !== other.answers[i]?.data;

  const isCutoffKnown = reading.reads.cutoffBlock.length === 0 && !isConstructed(2);
  // Where the constructor sets the cutoff, or a function does, it may take it from there.
  const readsL1 =
    reading.reads.cutoffBlock.includes(l1Number) || (!isCutoffKnown && functions.mentions(l1Block));
  if (readsL1) {
    const message =
      "cutoffBlock() is a block of the L1, but is compared with those of the consumer's own chain; take block.number.";
    report("cutoff-of-another-chain", message, cutoffGetter);
  }
  const moving = judgeMoving(reading.reads.cutoffBlock);
  if (moving !== undefined) report("cutoff-counts-blocks", moving, cutoffGetter);
  const isLinked = Object.keys(artifact.deployedLinkReferences).length > 0;
  if (isLinked && [...reading.reads.provider, ...reading.reads.conditions].includes(otherCode)) {
    return leaveUnread("an external library, which is linked only at deployment");
  }
  let isConstant = true;
  for (const getter of ["provider", "conditions"] as const) {
    const problem = judgeConstancy(getter, reading);
    if (problem === undefined) continue;
    isConstant = false;
    report(problem.rule, problem.message, functions.getter(getter));
  }
  if (!isConstant) return { consumer: linked, findings };
  if (isConstructed(0) || isConstructed(1)) return leaveUnread("constructor arguments");

  const answers = isCutoffKnown ? reading.answers : reading.answers.slice(0, 2).concat(noCutoff);
  const { found, problems } = judgeAnswers(name, answers);
  for (const { rule, message } of problems) {
    const getter = functions.getter(rule === "unsupported-provider" ? "provider" : "conditions");
    report(rule, message, rule === "policy-not-answered" ? consumer.definition : getter);
  }
  // Without the function, there is no cutoff.
  const silence = found && isCutoffKnown && cutoffGetter ? judgeSilence(answers[2]) : undefined;
  if (silence !== undefined) report("cutoff-not-answered", silence, cutoffGetter);
  const cutoff = found && isCutoffKnown && silence === undefined ? found.cutoffBlock : undefined;
  const unread = found && !isCutoffKnown ? { unread: unreadCutoff } : {};
  const problem = cutoff === undefined || readsL1 ? undefined : judgeCutoff(cutoff, chain);
  if (problem !== undefined) report(problem.rule, problem.message, cutoffGetter);
  return {
    consumer: {
      ...linked,
      ...(found && { policy: found.policy }),
      ...(cutoff !== undefined && { cutoffBlock: String(cutoff) }),
      ...unread,
    },
    findings,
  };
}

const unreadCutoff =
  "Its cutoff is set at deployment or later; check it with --consumer after its deployment.";

const noCutoff = { hasCode: true, success: true, exhausted: false, size: 0, data: "0x" };
