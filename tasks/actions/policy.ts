import { type OnchainPolicy, PolicyError, readPolicy } from "../../chain/policy.ts";
import { parseAddress } from "../../protocol/address.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { policyHash } from "../../protocol/policyHash.ts";
import { type Options, optionalPort } from "../internal/console/options.ts";
import { columns, reporting } from "../internal/console/report.ts";
import { connectToChain } from "../internal/stack/connect.ts";

export default reporting(async (args: Options<"consumer" | "port">, hre) => {
  const consumer = parseAddress("--consumer", args.consumer);
  const { connection } = await connectToChain(hre, optionalPort("--port", args.port));
  const chainId = Number(await connection.provider.request({ method: "eth_chainId" }));
  const { found, problem } = await readWithProblem(connection.provider, consumer);
  const { encoded, policy, cutoffBlock } = found;
  const hash = policyHash({ chainId, consumer, encoded });
  return {
    json: { ...policy, cutoffBlock: String(cutoffBlock), policyHash: hash, ...(problem && { problem }) },
    text: columns([
      ["Provider", policy.provider],
      ...policy.conditions.map((c) => ["Condition", `${c.name} ${c.op} ${c.value}`] as const),
      ["Cutoff block", cutoffBlock === 0n ? "none" : cutoffBlock],
      ["Policy hash", hash],
      ...(problem === undefined ? [] : [["Problem", problem] as const]),
    ]),
    refused: problem !== undefined,
  };
});

/** A policy that the signer does not serve is shown all the same. */
async function readWithProblem(
  node: Eip1193Connection,
  consumer: string,
): Promise<{ found: OnchainPolicy; problem?: string }> {
  try {
    return { found: await readPolicy(node, consumer) };
  } catch (error) {
    if (error instanceof PolicyError && error.found) return { found: error.found, problem: error.message };
    throw error;
  }
}
