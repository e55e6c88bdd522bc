import { parseArgs } from "node:util";
import { readAuthenticationTime } from "../../chain/clock.ts";
import { parseAddress } from "../../protocol/address.ts";
import { type CredentialStore, everyCredential, type ListedCredential } from "../index.ts";
import { groupCommands } from "./commands.ts";
import { flag, optional, parseCount, requireOption, text } from "./options.ts";
import { printList } from "./printList.ts";
import { readAccount } from "./readAccount.ts";
import { type Report, tell } from "./report.ts";
import { readStoreOptions, withExistingStore } from "./storeSettings.ts";

type Given<Name extends string> = Readonly<Partial<Record<Name, string | undefined>>>;

export const credential = groupCommands("credential", {
  async set(args) {
    const { values } = parseArgs({
      args,
      options: {
        wallet: text,
        provider: text,
        from: text,
        "account-id": text,
        traits: text,
        "authenticated-at": text,
        json: flag,
      },
    });
    const { "account-id": accountId, "authenticated-at": authenticatedAt, ...given } = values;
    const credential = await readCredential({ ...given, accountId, authenticatedAt });
    return await use((store) => setCredential(store, credential), values.json);
  },
  async list(args) {
    const options = { wallet: text, provider: text, limit: text, json: flag };
    const { values } = parseArgs({ args, options });
    await withExistingStore(readStoreOptions(process.env), (store) =>
      listCredentials(store, { ...values, json: values.json === true }),
    );
    return 0;
  },
  async delete(args) {
    const options = { wallet: text, provider: text, json: flag };
    const { values } = parseArgs({ args, options });
    return await use((store) => deleteCredential(store, values), values.json);
  },
});

async function use(act: (store: CredentialStore) => Promise<Report>, json?: boolean): Promise<number> {
  return tell(await withExistingStore(readStoreOptions(process.env), act), json);
}

/** Milliseconds that a command waits for what it deleted or replaced to leave the database's files. */
const erasurePatience = 5_000;

/** What a command says when it waited in vain. */
const notErasedYet =
  " It is still in the store's log, because another program is reading the store; a running service erases it within a minute after that program ends, otherwise the next program that opens the store does.";

/**
 * Reads what is to be stored for whom.
 *
 * @throws InvalidInputError
 */
export async function readCredential(
  args: Given<"wallet" | "provider" | "from" | "accountId" | "traits" | "authenticatedAt">,
) {
  const provider = requireOption("--provider", args.provider);
  const account = await readAccount(provider, args);
  const wallets = requireOption("--wallet", args.wallet)
    .split(",")
    .map((wallet) => parseAddress("--wallet", wallet.trim()));
  return { provider, wallets, ...account };
}

/** Stores a credential for each wallet in place of the one that it has at this provider. */
export async function setCredential(
  store: CredentialStore,
  { provider, wallets, accountId, traits, ...given }: Awaited<ReturnType<typeof readCredential>>,
  localNode?: Parameters<typeof readAuthenticationTime>[0],
): Promise<Report> {
  const isEmpty = Object.keys(traits).length === 0;
  const authenticatedAt = given.authenticatedAt ?? (await readAuthenticationTime(localNode));
  for (const wallet of wallets) await store.set({ wallet, provider, accountId, traits, authenticatedAt });
  const erased = await store.erased(erasurePatience);
  return {
    json: {
      wallets,
      provider,
      traits,
      authenticatedAt,
      erased,
      ...(isEmpty && { warning: withoutTraits }),
    },
    text: [
      `Stored: ${provider} account for ${wallets.join(", ")}.${erased ? "" : notErasedYet}`,
      ...(isEmpty ? [withoutTraits] : []),
    ].join("\n"),
  };
}

const withoutTraits =
  "The account has no traits, so it meets no conditions. Set them with --traits '{\"followers\":1200}'.";

/** Erases a wallet's credential. */
export async function deleteCredential(
  store: CredentialStore,
  args: Given<"wallet" | "provider">,
): Promise<Report> {
  const wallet = parseAddress("--wallet", args.wallet);
  const provider = requireOption("--provider", args.provider);
  const deleted = await store.delete(wallet, provider);
  const erased = await store.erased(erasurePatience);
  return {
    json: { wallet, provider, deleted, erased },
    text: deleted
      ? `Deleted: ${provider} credential of ${wallet}.${erased ? "" : notErasedYet}`
      : `${wallet} has no ${provider} credential.`,
    refused: !deleted,
  };
}

/** Prints the credentials that a filter leaves. */
export async function listCredentials(
  store: CredentialStore,
  { json, ...args }: Given<"wallet" | "provider" | "limit"> & { readonly json: boolean },
): Promise<void> {
  const filter = {
    wallet: optional(args.wallet, (text) => parseAddress("--wallet", text)),
    provider: args.provider,
    limit: optional(args.limit, (text) => parseCount("--limit", text)),
  };
  await printList(choose(store, filter), { json, describe, none: "No credentials." });
}

interface Filter {
  readonly wallet: string | undefined;
  readonly provider: string | undefined;
  readonly limit: number | undefined;
}

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
