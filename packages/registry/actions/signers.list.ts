import { optional, parseCount } from "@hardhat-identity/console/options";
import { reporting } from "hardhat-identity/internal/console/report";
import { listSigners } from "../internal/listSigners.ts";
import { openRegistry } from "../internal/openRegistry.ts";

export default reporting<"signers list">(async (args, hre) => {
  const fromBlock = optional(args.fromBlock, (text) => parseCount("--from-block", text));
  const { node, state, service } = await openRegistry(args, hre);
  return await listSigners(node, state, { service, fromBlock });
});
