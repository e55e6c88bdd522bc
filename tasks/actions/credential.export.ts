import { reportExport } from "../../signer/cli/moveStore.ts";
import { type Options, optionalPort, requireOption } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { findCredentialStore } from "../internal/stack/credentials.ts";

export default reporting(async (args: Options<"to" | "port">) => {
  const { options } = findCredentialStore(optionalPort("--port", args.port));
  return await reportExport(options, requireOption("--to", args.to));
});
