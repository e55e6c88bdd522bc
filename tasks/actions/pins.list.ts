import { listPins } from "../../signer/cli/pins.ts";
import { type Options, optionalPort } from "../internal/console/options.ts";
import { orError } from "../internal/console/report.ts";
import { withCredentialStore } from "../internal/stack/credentials.ts";

export default orError((args: Options<"port">) =>
  withCredentialStore(optionalPort("--port", args.port), (store) => listPins(store, args.json)),
);
