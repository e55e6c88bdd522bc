import { reporting } from "../internal/console/report.ts";
import { changeAllowlist } from "../internal/signers/changeAllowlist.ts";

export default reporting<"signers add">((args, hre) => changeAllowlist("add", args, hre));
