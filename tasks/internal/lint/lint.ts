import type { Policy } from "@hardhat-identity/protocol/policy";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { fillIn } from "../consumer/compiledContract.ts";
import { type ChainHead, judgeCutoff, judgeMoving, judgeSilence } from "./cutoffRules.ts";
import { contractFunctions, isIgnored } from "./functions.ts";
import { judgePace } from "./paceRule.ts";
import { judgeAnswers, judgeConstancy } from "./policyRules.ts";
import { l1Block, l1Number, openProbe, otherCode, type Probe, type Reading } from "./probe.ts";
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
  const { name, place, build } = consumer;
  const functions = contractFunctions(consumer);
  const findings: Finding[] = [];
  const report: Report = (rule, message, at) => {
    if (isIgnored(rule, functions.commentsAt(at))) return;
    findings.push(finding(rule, message, { contract: name, ...((at && build.locate(at)) ?? place) }));
  };
  const linked: LintedConsumer = { name, ...place };
  const leaveUnread = (why: string) => {
    const unread = `Its policy depends on ${why}; check it with --consumer after its deployment.`;
    report("policy-not-read", unread, consumer.definition);
    return { consumer: { ...linked, unread }, findings };
  };

  const read = await readTwice(probe, consumer);
  if (read.pace !== undefined) report("pace-senseless", read.pace, functions.getter("pace"));
  const readsL1 = readsL1Block(read, functions);
  if (readsL1) report("cutoff-of-another-chain", cutoffOfL1, functions.getter("cutoffBlock"));
  const moving = judgeMoving(read.reads.cutoffBlock);
  if (moving !== undefined) report("cutoff-counts-blocks", moving, functions.getter("cutoffBlock"));
  if (readsLibrary(read, consumer)) {
    return leaveUnread("an external library, which is linked only at deployment");
  }
  const changing = (["provider", "conditions"] as const).flatMap(
    (getter) => judgeConstancy(getter, read) ?? [],
  );
  for (const { getter, rule, message } of changing) report(rule, message, functions.getter(getter));
  if (changing.length > 0) return { consumer: linked, findings };
  if (read.isPolicyConstructed) return leaveUnread("constructor arguments");

  const { found, cutoff } = judgePolicy(read, consumer, functions, report);
  const problem = cutoff === undefined || readsL1 ? undefined : judgeCutoff(cutoff, chain);
  if (problem !== undefined) report(problem.rule, problem.message, functions.getter("cutoffBlock"));
  return {
    consumer: {
      ...linked,
      ...(found && { policy: found.policy }),
      ...(cutoff !== undefined && { cutoffBlock: String(cutoff) }),
      ...(found && !read.isCutoffKnown && { unread: unreadCutoff }),
    },
    findings,
  };
}

/** Reports a finding at a definition, or at the contract without one, unless its comments ignore the rule. */
type Report = (rule: Rule, message: string, at: SyntaxNode | undefined) => void;
type Functions = ReturnType<typeof contractFunctions>;

/** The answers of a contract's code, and which of them are known before the deployment. */
interface Read extends Pick<Reading, "answers" | "reads" | "changing"> {
  /** The problem with its pace, if there is one. */
  readonly pace: string | undefined;
  /** Whether the constructor sets the provider or the conditions. */
  readonly isPolicyConstructed: boolean;
  /** Whether neither the constructor nor a function sets the cutoff. */
  readonly isCutoffKnown: boolean;
}

/** Reads a contract with two values for everything that its constructor sets: an answer that differs is its. */
async function readTwice(probe: Probe, { artifact, build }: Consumer): Promise<Read> {
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
  const isConstructed = (i: number) => reading.answers[i]?.data !== other.answers[i]?.data;
  return {
    ...reading,
    pace: reading.pace === other.pace ? judgePace(reading.pace) : undefined,
    isPolicyConstructed: isConstructed(0) || isConstructed(1),
    isCutoffKnown: reading.reads.cutoffBlock.length === 0 && !isConstructed(2),
  };
}

/** Whether the cutoff is a block of the L1. Where the constructor or a function sets it, they may take it from there. */
const readsL1Block = ({ reads, isCutoffKnown }: Read, functions: Functions): boolean =>
  reads.cutoffBlock.includes(l1Number) || (!isCutoffKnown && functions.mentions(l1Block));

const cutoffOfL1 =
  "cutoffBlock() is a block of the L1, but is compared with those of the consumer's own chain; take block.number.";

const readsLibrary = ({ reads }: Read, { artifact }: Consumer): boolean =>
  Object.keys(artifact.deployedLinkReferences).length > 0 &&
  [...reads.provider, ...reads.conditions].includes(otherCode);

/** Finds the policy, and the cutoff if it is known. Reports what the service would refuse. */
function judgePolicy(read: Read, consumer: Consumer, functions: Functions, report: Report) {
  const { isCutoffKnown } = read;
  const answers = isCutoffKnown ? read.answers : read.answers.slice(0, 2).concat(noCutoff);
  const { found, problems } = judgeAnswers(consumer.name, answers);
  for (const { rule, message } of problems) {
    const getter = functions.getter(rule === "unsupported-provider" ? "provider" : "conditions");
    report(rule, message, rule === "policy-not-answered" ? consumer.definition : getter);
  }
  if (!found || !isCutoffKnown) return { found, cutoff: undefined };
  // Without the function, there is no cutoff.
  const getter = functions.getter("cutoffBlock");
  const silence = getter ? judgeSilence(answers[2]) : undefined;
  if (silence === undefined) return { found, cutoff: found.cutoffBlock };
  report("cutoff-not-answered", silence, getter);
  return { found, cutoff: undefined };
}

const unreadCutoff =
  "Its cutoff is set at deployment or later; check it with --consumer after its deployment.";

const noCutoff = { hasCode: true, success: true, exhausted: false, size: 0, data: "0x" };
