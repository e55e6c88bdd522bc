import { parseAddress } from "../../protocol/address.ts";
import { type Options, optionalPort } from "../internal/console/options.ts";
import { columns, reporting } from "../internal/console/report.ts";
import { inspectPolicy } from "../internal/consumer/policy.ts";
import { connectToChain } from "../internal/stack/connect.ts";

export default reporting(async (args: Options<"consumer" | "port">, hre) => {
  const consumer = parseAddress("--consumer", args.consumer);
  const { connection } = await connectToChain(hre, optionalPort("--port", args.port));
  const { policy, cutoffBlock, policyHash, problem } = await inspectPolicy(connection.provider, consumer);
  return {
    json: { ...policy, cutoffBlock: String(cutoffBlock), policyHash, ...(problem && { problem }) },
    text: columns([
      ["Provider", policy.provider],
      ...policy.conditions.map((c) => ["Condition", `${c.name} ${c.op} ${c.value}`] as const),
      ["Cutoff block", cutoffBlock === 0n ? "none" : cutoffBlock],
      ["Policy hash", policyHash],
      ...(problem === undefined ? [] : [["Problem", problem] as const]),
    ]),
    refused: problem !== undefined,
  };
});
