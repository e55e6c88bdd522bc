import { columns } from "@hardhat-identity/console/columns";
import { printError } from "@hardhat-identity/console/print";
import type { Report } from "@hardhat-identity/console/report";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { reporting } from "../internal/console/report.ts";
import { inspectPolicy } from "../internal/consumer/policy.ts";
import { readChainHead } from "../internal/lint/cutoffRules.ts";
import { count, describeReport } from "../internal/lint/describe.ts";
import { lintProject } from "../internal/lint/lint.ts";
import { lintDeployed } from "../internal/lint/lintDeployed.ts";
import type { Finding } from "../internal/lint/rules.ts";
import { connectToChain } from "../internal/stack/connect.ts";
import { findConsumer } from "../internal/stack/findConsumer.ts";
import type { Arguments } from "../options.ts";

type Args = Arguments<"policy">;

export default reporting<"policy">((args, hre) =>
  args.consumer === undefined ? checkProject(args, hre) : checkDeployed(args, hre),
);

async function checkProject(args: Args, hre: HardhatRuntimeEnvironment): Promise<Report> {
  // Hardhat adds a call to each statement, also to those of a policy.
  if (hre.globalOptions.coverage) {
    throw new InvalidInputError(
      "With --coverage, Hardhat changes the code, and a policy then calls another contract. Run identity policy without it.",
    );
  }
  const chain = hre.globalOptions.network !== undefined || args.port !== undefined;
  const head = chain ? await readChainHead((await connectToChain(hre, args)).connection.provider) : undefined;
  if (!args.json) printError("Building …");
  const report = await lintProject(hre, head);
  const { consumers, findings } = report;
  const [errors, warnings] = [count(findings, "error"), count(findings, "warning")];
  return {
    json: { consumers, findings, errors, warnings },
    text: describeReport(report),
    refused: fails(findings, args),
  };
}

async function checkDeployed(args: Args, hre: HardhatRuntimeEnvironment): Promise<Report> {
  const consumer = await findConsumer(hre, args);
  const { connection } = await connectToChain(hre, args);
  const { provider: node } = connection;
  const { policy, cutoffBlock, policyHash, problem, runs } = await inspectPolicy(node, consumer);
  const findings = await lintDeployed(hre, node, { consumer, policy, cutoffBlock });
  return {
    json: {
      ...policy,
      cutoffBlock: String(cutoffBlock),
      policyHash,
      ...runs,
      ...(problem && { problem }),
      findings,
    },
    text: columns([
      ["Provider", policy.provider],
      ...policy.conditions.map((c) => ["Condition", `${c.name} ${c.op} ${c.value}`] as const),
      ["Cutoff block", cutoffBlock === 0n ? "none" : cutoffBlock],
      ["Policy hash", policyHash],
      ...Object.entries(runs ?? {}).map(
        ([what, address]) =>
          ["Proxy", `runs the ${what} ${address}; anyone who can replace it can change the policy`] as const,
      ),
      ...findings.map(
        ({ severity, message, rule }) =>
          [severity === "error" ? "Problem" : "Warning", `${message} (${rule})`] as const,
      ),
    ]),
    refused: fails(findings, args),
  };
}

const fails = (findings: readonly Finding[], { strict }: Args) =>
  strict ? findings.length > 0 : count(findings, "error") > 0;
