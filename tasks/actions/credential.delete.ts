import { deleteCredential } from "../../signer/operations/credentials.ts";
import { reporting } from "../internal/console/report.ts";
import { withStackStore } from "../internal/stack/credentials.ts";

export default reporting<"credential delete">((args, hre) =>
  withStackStore(hre, args, (store) => deleteCredential(store, args)),
);
