import type { Address } from "viem";
import { useConfig } from "wagmi";
import { getConnectorClient } from "wagmi/actions";

/** Gives the wallet of an account, as wagmi has connected it. */
export function useWallet(account: Address | undefined) {
  const config = useConfig();
  // The wrong chain is an IdentityError of `sendCall` and `sendCalls`.
  return () => getConnectorClient(config, { account, assertChainId: false });
}
