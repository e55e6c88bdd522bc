import { listCredentials } from "../../signer/operations/credentials.ts";
import { optionalPort } from "../internal/console/options.ts";
import { orError } from "../internal/console/report.ts";
import { withStackStore } from "../internal/stack/credentials.ts";

export default orError<"credential list">((args, hre) =>
  withStackStore(hre, optionalPort("--port", args.port), (store) => listCredentials(store, args)),
);
