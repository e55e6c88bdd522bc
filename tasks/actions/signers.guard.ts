import { reporting } from "../internal/console/report.ts";
import { guardRegistry } from "../internal/signers/guardRegistry.ts";

export default reporting<"signers guard">((args, hre) => guardRegistry(args, hre));
