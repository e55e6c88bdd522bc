import { reporting } from "hardhat-identity/internal/console/report";
import { guardRegistry } from "../internal/guardRegistry.ts";

export default reporting<"signers guard">((args, hre) => guardRegistry(args, hre));
