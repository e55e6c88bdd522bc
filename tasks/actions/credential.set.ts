import { readCredential, setCredential } from "../../signer/cli/credential.ts";
import { type Options, optionalPort } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { connectToNode } from "../internal/stack/connect.ts";
import { withCredentialStore } from "../internal/stack/credentials.ts";

type Arguments = Options<
  "wallet" | "provider" | "from" | "accountId" | "traits" | "authenticatedAt" | "port"
>;

export default reporting(async (args: Arguments, hre) => {
  const credential = await readCredential(args);
  return await withCredentialStore(optionalPort("--port", args.port), async (store, stack) => {
    const localNode = stack && (await connectToNode(hre, stack.rpcUrl)).provider;
    return await setCredential(store, credential, localNode);
  });
});
