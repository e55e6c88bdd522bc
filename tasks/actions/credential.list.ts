import { listCredentials } from "../../signer/operations/credentials.ts";
import { orError } from "../internal/console/report.ts";
import { withStackStore } from "../internal/stack/credentials.ts";

export default orError<"credential list">((args, hre) =>
  withStackStore(hre, args, (store) => listCredentials(store, args)),
);
