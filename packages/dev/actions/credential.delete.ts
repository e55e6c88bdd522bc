import { reporting } from "hardhat-identity/internal/console/report";
import { deleteCredential } from "identity-signer/operations/credentials";
import { withStackStore } from "../internal/credentials.ts";

export default reporting<"credential delete">((args, hre) =>
  withStackStore(hre, args, (store) => deleteCredential(store, args)),
);
