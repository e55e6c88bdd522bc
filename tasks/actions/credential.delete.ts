import { parseAddress } from "../../protocol/address.ts";
import { reporting } from "../console/report.ts";
import { withCredentialStore } from "../stack/credentials.ts";
import { type Options, optionalPort, requireOption } from "./options.ts";

export default reporting(async (args: Options<"wallet" | "provider" | "port">) => {
  const wallet = parseAddress("--wallet", args.wallet);
  const provider = requireOption("--provider", args.provider);
  return await withCredentialStore(optionalPort("--port", args.port), async (store) => {
    const deleted = await store.delete(wallet, provider);
    return {
      json: { wallet, provider, deleted },
      text: deleted
        ? `Deleted: ${provider} credential of ${wallet}.`
        : `${wallet} has no ${provider} credential.`,
      refused: !deleted,
    };
  });
});
