import { optional, parseCount } from "../../console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { listSigners } from "../internal/signers/listSigners.ts";
import { openRegistry } from "../internal/signers/openRegistry.ts";

export default reporting<"signers list">(async (args, hre) => {
  const fromBlock = optional(args.fromBlock, (text) => parseCount("--from-block", text));
  const { node, state, service } = await openRegistry(args, hre);
  return await listSigners(node, state, { service, fromBlock });
});
