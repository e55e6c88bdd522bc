import { deleteCredential } from "../../signer/cli/credential.ts";
import { type Options, optionalPort } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { withCredentialStore } from "../internal/stack/credentials.ts";

export default reporting((args: Options<"wallet" | "provider" | "port">) =>
  withCredentialStore(optionalPort("--port", args.port), (store) => deleteCredential(store, args)),
);
