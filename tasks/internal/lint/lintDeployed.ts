import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { listPolicyProblems, type Policy } from "@hardhat-identity/protocol/policy";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { readCode } from "../consumer/erc1967.ts";
import { judgeCutoff, judgeMoving, readChainHead } from "./cutoffRules.ts";
import { judgeConstancy } from "./policyRules.ts";
import { callAll, getters, openProbe, otherCode, type Reading } from "./probe.ts";
import { type Finding, finding } from "./rules.ts";

/** Finds problems of a deployed consumer from its code and its answers. */
export async function lintDeployed(
  hre: HardhatRuntimeEnvironment,
  node: Eip1193Connection,
  { consumer, policy, cutoffBlock }: { consumer: string; policy: Policy; cutoffBlock: bigint },
): Promise<Finding[]> {
  const findings = [...listPolicyProblems(policy)].map(({ rule, message }) => finding(rule, message));
  const cutoffProblem = judgeCutoff(cutoffBlock, await readChainHead(node));
  if (cutoffProblem) findings.push(finding(cutoffProblem.rule, cutoffProblem.message));

  const code = await readCode(node, consumer);
  const probe = await openProbe(hre);
  let reads: Reading["reads"];
  try {
    ({ reads } = await probe.read(code));
  } finally {
    await probe.close();
  }
  const moving = judgeMoving(reads.cutoffBlock);
  if (moving !== undefined) findings.push(finding("cutoff-counts-blocks", moving));
  const nobody = [`0x${"00".repeat(19)}11`, `0x${"00".repeat(19)}12`];
  const [one = [], another = []] = await Promise.all(nobody.map((from) => callAll(node, from, consumer)));
  const changing = getters.filter((_, i) => one[i] !== another[i]);
  for (const getter of ["provider", "conditions"] as const) {
    // A proxy reads its own storage to find its implementation. Running the proxy alone does not run the
    // implementation.
    const seen = reads[getter].includes(otherCode) ? [] : reads[getter];
    const isNamed = ["msg.sender", "tx.origin"].some((each) => seen.includes(each));
    const isCaller = changing.includes(getter) && !isNamed;
    const all = isCaller ? [...seen, "its caller"] : seen;
    const problem = judgeConstancy(getter, { reads: { ...reads, [getter]: all }, changing });
    if (problem) findings.push(finding(problem.rule, problem.message));
  }
  return findings;
}
