import { reportImport } from "../../signer/cli/moveStore.ts";
import { type Options, optionalPort, requireOption } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { findCredentialStore } from "../internal/stack/credentials.ts";

export default reporting(async (args: Options<"from" | "port">) => {
  const { options } = findCredentialStore(optionalPort("--port", args.port));
  return await reportImport(options, requireOption("--from", args.from));
});
