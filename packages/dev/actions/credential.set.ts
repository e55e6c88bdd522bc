import { reporting } from "hardhat-identity/internal/console/report";
import { connectToNode } from "hardhat-identity/internal/stack/connect";
import { readGivenCredential, setCredential } from "identity-signer/operations/credentials";
import { withStackStore } from "../internal/credentials.ts";

export default reporting<"credential set">(async (args, hre) => {
  const credential = await readGivenCredential(args);
  return await withStackStore(hre, args, async (store, stack) => {
    const { provider: node } = await connectToNode(hre, stack.rpcUrl);
    return await setCredential(store, credential, node);
  });
});
