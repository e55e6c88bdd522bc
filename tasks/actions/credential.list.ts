import { parseAddress } from "../../protocol/address.ts";
import { type CredentialStore, everyCredential, type ListedCredential } from "../../signer/index.ts";
import { type Options, optional, optionalPort, parseCount } from "../internal/console/options.ts";
import { printList } from "../internal/console/printList.ts";
import { orError } from "../internal/console/report.ts";
import { withCredentialStore } from "../internal/stack/credentials.ts";

interface Filter {
  readonly wallet: string | undefined;
  readonly provider: string | undefined;
  readonly limit: number | undefined;
}

export default orError(async (args: Options<"wallet" | "provider" | "limit" | "port">) => {
  const filter = {
    wallet: optional(args.wallet, (text) => parseAddress("--wallet", text)),
    provider: args.provider,
    limit: optional(args.limit, (text) => parseCount("--limit", text)),
  };
  await withCredentialStore(optionalPort("--port", args.port), (store) =>
    printList(choose(store, filter), { json: args.json, describe, none: "No credentials." }),
  );
});

async function* choose(
  store: CredentialStore,
  { wallet, provider, limit = Number.POSITIVE_INFINITY }: Filter,
): AsyncGenerator<ListedCredential> {
  let count = 0;
  for await (const credential of everyCredential(store, wallet === undefined ? {} : { wallet })) {
    if (count === limit) return;
    if (provider !== undefined && credential.provider !== provider) continue;
    yield credential;
    count++;
  }
}

function describe({ wallet, provider, traits, authenticatedAt }: ListedCredential): string {
  const time = new Date(authenticatedAt * 1000).toISOString();
  return `${wallet}  ${provider}  authenticated ${time}  ${JSON.stringify(traits)}`;
}
