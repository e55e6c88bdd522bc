import { orError } from "hardhat-identity/internal/console/report";
import { listCredentials } from "identity-signer/operations/credentials";
import { withStackStore } from "../internal/credentials.ts";

export default orError<"credential list">((args, hre) =>
  withStackStore(hre, args, (store) => listCredentials(store, args)),
);
