import { parseAddress } from "../../protocol/address.ts";
import { type Options, optionalPort, requireOption } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { erasurePatience, notErasedYet, withCredentialStore } from "../internal/stack/credentials.ts";

export default reporting(async (args: Options<"wallet" | "provider" | "port">) => {
  const wallet = parseAddress("--wallet", args.wallet);
  const provider = requireOption("--provider", args.provider);
  return await withCredentialStore(optionalPort("--port", args.port), async (store) => {
    const deleted = await store.delete(wallet, provider);
    const erased = await store.erased(erasurePatience);
    return {
      json: { wallet, provider, deleted, erased },
      text: deleted
        ? `Deleted: ${provider} credential of ${wallet}.${erased ? "" : notErasedYet}`
        : `${wallet} has no ${provider} credential.`,
      refused: !deleted,
    };
  });
});
