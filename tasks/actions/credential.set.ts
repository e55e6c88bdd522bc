import { parseAddress } from "../../protocol/address.ts";
import { parseTraits } from "../../protocol/traits.ts";
import { reporting } from "../console/report.ts";
import { connectToNode } from "../stack/connect.ts";
import { withCredentialStore } from "../stack/credentials.ts";
import { pendingTimestamp } from "../verification/pendingTimestamp.ts";
import { type Options, optional, optionalPort, parseCount, requireOption } from "./options.ts";

type Arguments = Options<"wallet" | "provider" | "account" | "traits" | "authenticatedAt" | "port">;

export default reporting(async (args: Arguments, hre) => {
  const provider = requireOption("--provider", args.provider);
  const accountId = requireOption("--account", args.account);
  const wallets = requireOption("--wallet", args.wallet)
    .split(",")
    .map((wallet) => parseAddress("--wallet", wallet.trim()));
  const traits = parseTraits(provider, args.traits ?? "{}");
  const given = optional(args.authenticatedAt, (text) => parseCount("--authenticated-at", text));
  return await withCredentialStore(optionalPort("--port", args.port), async (store, stack) => {
    // A local node's clock may be far from the wall clock, and cutoffs are judged by it.
    const authenticatedAt =
      given ??
      (stack ? await pendingTimestamp((await connectToNode(hre, stack.rpcUrl)).provider) : wallClock());
    for (const wallet of wallets) await store.set({ wallet, provider, accountId, traits, authenticatedAt });
    return {
      json: { wallets, provider, traits, authenticatedAt },
      text: `Stored: ${provider} account for ${wallets.join(", ")}.`,
    };
  });
});

const wallClock = () => Math.floor(Date.now() / 1000);
