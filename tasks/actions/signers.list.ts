import { optional, parseCount } from "../../console/options.ts";
import { listSigners } from "../../signer/operations/signers/listSigners.ts";
import { reporting } from "../internal/console/report.ts";
import { openRegistry } from "../internal/signers/openRegistry.ts";

export default reporting<"signers list">(async (args, hre) => {
  const fromBlock = optional(args.fromBlock, (text) => parseCount("--from-block", text));
  const { node, state, service } = await openRegistry(args, hre);
  return await listSigners(node, state, { service, fromBlock });
});
