import { describeAge } from "@hardhat-identity/console/age";
import { optional, requireOption } from "@hardhat-identity/console/options";
import { style } from "@hardhat-identity/console/print";
import { printList } from "@hardhat-identity/console/printList";
import type { Report } from "@hardhat-identity/console/report";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { readAuthenticationTime } from "@hardhat-identity/protocol/chain/clock";
import type {
  CredentialStore,
  ListedCredential,
  ReadableStore,
} from "@hardhat-identity/store/credentials/credential";
import { everyCredential } from "@hardhat-identity/store/credentials/pages";
import { readGivenAccount } from "./readGivenAccount.ts";

export type Given<Name extends string> = Readonly<Partial<Record<Name, string | undefined>>>;

const erasureTimeoutMs = 5_000;

/** Waits until deleted and replaced rows have left the database's files, and adds the result to a report. */
export async function reportErasure(store: CredentialStore, report: Report): Promise<Report> {
  const erased = await store.erased(erasureTimeoutMs);
  const words = erased || report.refused ? "" : notErasedYet;
  return { ...report, json: { ...report.json, erased }, text: report.text + words };
}

const notErasedYet =
  " Data that was deleted or replaced may still be in the store's log, because another program is reading the store; a running service erases it within a minute after that program ends, otherwise the next program that opens the store does.";

/** Reads the credentials to store, and their wallets. */
export async function readGivenCredential(
  args: Given<"wallet" | "provider" | "from" | "accountId" | "traits" | "authenticatedAt">,
) {
  const provider = requireOption("--provider", args.provider, "where the account is, such as microblog");
  const account = await readGivenAccount(provider, args);
  const wallets = requireOption("--wallet", args.wallet, "an address")
    .split(",")
    .map((wallet) => parseAddress("--wallet", wallet.trim()));
  return { provider, wallets, ...account };
}

/** Stores a credential for each wallet in place of the one that it has at this provider. */
export async function setCredential(
  store: CredentialStore,
  { provider, wallets, accountId, traits, ...given }: Awaited<ReturnType<typeof readGivenCredential>>,
  localNode?: Parameters<typeof readAuthenticationTime>[0],
): Promise<Report> {
  const authenticatedAt = given.authenticatedAt ?? (await readAuthenticationTime(localNode));
  for (const wallet of wallets) await store.set({ wallet, provider, accountId, traits, authenticatedAt });
  const { json, text } = await reportErasure(store, {
    json: { wallets, provider, traits, authenticatedAt },
    text: `Stored: ${provider} account for ${wallets.join(", ")}.`,
  });
  if (Object.keys(traits).length > 0) return { json, text };
  return { json: { ...json, warning: withoutTraits }, text: `${text}\n${withoutTraits}` };
}

const withoutTraits =
  "The account has no traits, so it meets no conditions. Set them with --traits '{\"followers\":1200}'.";

/** Erases a wallet's credential. */
export async function deleteCredential(
  store: CredentialStore,
  args: Given<"wallet" | "provider">,
): Promise<Report> {
  const wallet = parseAddress("--wallet", args.wallet);
  const provider = requireOption("--provider", args.provider, "where the account is, such as microblog");
  const deleted = await store.delete(wallet, provider);
  return reportErasure(store, {
    json: { wallet, provider, deleted },
    text: deleted
      ? `Deleted: ${provider} credential of ${wallet}.`
      : `${wallet} has no ${provider} credential.`,
    refused: !deleted,
  });
}

/** Prints all credentials, or those of one wallet. */
export async function listCredentials(
  store: ReadableStore,
  { json, ...given }: Given<"wallet"> & { readonly json: boolean },
): Promise<void> {
  const wallet = optional(given.wallet, (text) => parseAddress("--wallet", text));
  const credentials = everyCredential(store, wallet === undefined ? {} : { wallet });
  await printList(credentials, { json, describe: describeCredential, header, none: "No credentials." });
}

const layOut = (wallet: string, provider: string, verified: string): string =>
  `${wallet.padEnd(42)}  ${provider.padEnd(12)}  ${verified}`;

const header = layOut("Wallet", "Provider", "Verified");

function describeCredential({ wallet, provider, traits, authenticatedAt }: ListedCredential): string[] {
  const values = Object.entries(traits).map(([name, value]) => `${name} ${value}`);
  return [
    layOut(wallet, provider, describeAge(authenticatedAt)),
    `  ${style("gray", values.join(" · ") || "no traits")}`,
  ];
}
