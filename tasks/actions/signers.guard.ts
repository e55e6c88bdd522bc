import { reporting } from "../internal/console/report.ts";
import { type GuardOptions, guardRegistry } from "../internal/signers/guardRegistry.ts";

export default reporting((args: GuardOptions, hre) => guardRegistry(args, hre));
