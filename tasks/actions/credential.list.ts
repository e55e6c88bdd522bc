import { listCredentials } from "../../signer/cli/credential.ts";
import { type Options, optionalPort } from "../internal/console/options.ts";
import { orError } from "../internal/console/report.ts";
import { withCredentialStore } from "../internal/stack/credentials.ts";

export default orError((args: Options<"wallet" | "provider" | "limit" | "port">) =>
  withCredentialStore(optionalPort("--port", args.port), (store) => listCredentials(store, args)),
);
