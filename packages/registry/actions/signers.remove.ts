import { reporting } from "hardhat-identity/internal/console/report";
import { changeAllowlist } from "../internal/changeAllowlist.ts";

export default reporting<"signers remove">((args, hre) => changeAllowlist("remove", args, hre));
