import { readGivenCredential, setCredential } from "../../signer/operations/credentials.ts";
import { reporting } from "../internal/console/report.ts";
import { connectToNode } from "../internal/stack/connect.ts";
import { withStackStore } from "../internal/stack/credentials.ts";

export default reporting<"credential set">(async (args, hre) => {
  const credential = await readGivenCredential(args);
  return await withStackStore(hre, args, async (store, stack) => {
    const { provider: node } = await connectToNode(hre, stack.rpcUrl);
    return await setCredential(store, credential, node);
  });
});
