import { readAuthenticationTime } from "../../chain/clock.ts";
import { parseAddress } from "../../protocol/address.ts";
import { type Options, optionalPort, requireOption } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { connectToNode } from "../internal/stack/connect.ts";
import { erasurePatience, notErasedYet, withCredentialStore } from "../internal/stack/credentials.ts";
import { readAccount } from "../internal/stack/readAccount.ts";

type Arguments = Options<
  "wallet" | "provider" | "from" | "accountId" | "account" | "traits" | "authenticatedAt" | "port"
>;

export default reporting(async (args: Arguments, hre) => {
  const provider = requireOption("--provider", args.provider);
  const account = await readAccount(provider, args);
  const wallets = requireOption("--wallet", args.wallet)
    .split(",")
    .map((wallet) => parseAddress("--wallet", wallet.trim()));
  const { accountId, traits } = account;
  const isEmpty = Object.keys(traits).length === 0;
  return await withCredentialStore(optionalPort("--port", args.port), async (store, stack) => {
    const localNode = stack && (await connectToNode(hre, stack.rpcUrl)).provider;
    const authenticatedAt = account.authenticatedAt ?? (await readAuthenticationTime(localNode));
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
  });
});

const withoutTraits =
  "The account has no traits, so it meets no conditions. Set them with --traits '{\"followers\":1200}'.";
