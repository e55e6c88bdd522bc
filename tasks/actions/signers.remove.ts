import { reporting } from "../internal/console/report.ts";
import { changeAllowlist } from "../internal/signers/changeAllowlist.ts";

export default reporting<"signers remove">((args, hre) => changeAllowlist("remove", args, hre));
