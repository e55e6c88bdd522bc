import { deleteCredential } from "../../signer/operations/credentials.ts";
import { optionalPort } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { withStackStore } from "../internal/stack/credentials.ts";

export default reporting<"credential delete">((args, hre) =>
  withStackStore(hre, optionalPort("--port", args.port), (store) => deleteCredential(store, args)),
);
