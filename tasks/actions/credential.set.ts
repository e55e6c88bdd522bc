import { readAuthenticationTime } from "../../chain/clock.ts";
import { parseAddress } from "../../protocol/address.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { parseTraits } from "../../protocol/traits.ts";
import {
  type Options,
  optional,
  optionalPort,
  parseCount,
  requireOption,
} from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { connectToNode } from "../internal/stack/connect.ts";
import { withCredentialStore } from "../internal/stack/credentials.ts";

type Arguments = Options<
  "wallet" | "provider" | "accountId" | "account" | "traits" | "authenticatedAt" | "port"
>;

export default reporting(async (args: Arguments, hre) => {
  const provider = requireOption("--provider", args.provider);
  const accountId = readAccountId(args);
  const wallets = requireOption("--wallet", args.wallet)
    .split(",")
    .map((wallet) => parseAddress("--wallet", wallet.trim()));
  const traits = parseTraits(provider, args.traits ?? "{}");
  const isEmpty = Object.keys(traits).length === 0;
  const given = optional(args.authenticatedAt, (text) => parseCount("--authenticated-at", text));
  return await withCredentialStore(optionalPort("--port", args.port), async (store, stack) => {
    const localNode = stack && (await connectToNode(hre, stack.rpcUrl)).provider;
    const authenticatedAt = given ?? (await readAuthenticationTime(localNode));
    for (const wallet of wallets) await store.set({ wallet, provider, accountId, traits, authenticatedAt });
    return {
      json: { wallets, provider, traits, authenticatedAt, ...(isEmpty && { warning: withoutTraits }) },
      text: `Stored: ${provider} account for ${wallets.join(", ")}.${isEmpty ? `\n${withoutTraits}` : ""}`,
    };
  });
});

const withoutTraits =
  "It has no traits, so it meets no condition of any consumer; give them: --traits '{\"followers\":1200}'.";

/** Scripts rely on `--account`; elsewhere that is a wallet, so guides say `--account-id`. */
function readAccountId({ accountId, account }: Arguments): string {
  if (accountId !== undefined && account !== undefined && accountId !== account) {
    throw new InvalidInputError(
      "--account-id and --account both name the provider's account id; give one of them.",
    );
  }
  return requireOption("--account-id", accountId ?? account);
}
