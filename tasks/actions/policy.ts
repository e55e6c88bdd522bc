import { parseAddress } from "../../protocol/address.ts";
import { policyHash } from "../../protocol/policyHash.ts";
import { readPolicy } from "../../signer/chain/policy.ts";
import { columns, reporting } from "../console/report.ts";
import { connectToChain } from "../stack/connect.ts";
import { type Options, optionalPort } from "./options.ts";

export default reporting(async (args: Options<"consumer" | "port">, hre) => {
  const consumer = parseAddress("--consumer", args.consumer);
  const { connection } = await connectToChain(hre, optionalPort("--port", args.port));
  const chainId = Number(await connection.provider.request({ method: "eth_chainId" }));
  const { encoded, policy, cutoffBlock } = await readPolicy(connection.provider, consumer);
  const hash = policyHash({ chainId, consumer, encoded });
  return {
    json: { ...policy, cutoffBlock: String(cutoffBlock), policyHash: hash },
    text: columns([
      ["Provider", policy.provider],
      ...policy.conditions.map((c) => ["Condition", `${c.name} ${c.op} ${c.value}`] as const),
      ["Cutoff block", cutoffBlock === 0n ? "none" : cutoffBlock],
      ["Policy hash", hash],
    ]),
  };
});
