import { parseAddress } from "../../protocol/address.ts";
import { type Options, optional, optionalPort } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { withCredentialStore } from "../internal/stack/credentials.ts";

export default reporting(async (args: Options<"wallet" | "port">) => {
  const wallet = optional(args.wallet, (text) => parseAddress("--wallet", text));
  return await withCredentialStore(optionalPort("--port", args.port), async (store) => {
    const credentials = await store.list(wallet === undefined ? {} : { wallet });
    return {
      json: credentials,
      text: credentials.length === 0 ? "No credentials." : credentials.map(describe).join("\n"),
    };
  });
});

function describe(credential: {
  wallet: string;
  provider: string;
  authenticatedAt: number;
  traits: Readonly<Record<string, string>>;
}): string {
  const { wallet, provider, traits, authenticatedAt } = credential;
  const time = new Date(authenticatedAt * 1000).toISOString();
  return `${wallet}  ${provider}  authenticated ${time}  ${JSON.stringify(traits)}`;
}
