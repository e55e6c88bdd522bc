import { reporting } from "../internal/console/report.ts";
import { type ChangeOptions, changeAllowlist } from "../internal/signers/changeAllowlist.ts";

export default reporting((args: ChangeOptions, hre) => changeAllowlist("add", args, hre));
