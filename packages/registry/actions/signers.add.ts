import { reporting } from "hardhat-identity/internal/console/report";
import { changeAllowlist } from "../internal/changeAllowlist.ts";

export default reporting<"signers add">((args, hre) => changeAllowlist("add", args, hre));
