import { optional, parseCount } from "../../console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { listSigners } from "../internal/signers/listSigners.ts";
import { openRegistry, type RegistryOptions } from "../internal/signers/openRegistry.ts";

type Arguments = RegistryOptions & Record<"fromBlock", string | undefined>;

export default reporting(async (args: Arguments, hre) => {
  const fromBlock = optional(args.fromBlock, (text) => parseCount("--from-block", text));
  const { node, state, service } = await openRegistry(args, hre);
  return await listSigners(node, state, { service, fromBlock });
});
