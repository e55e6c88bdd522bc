import { defineChain } from "viem";
import { createConfig, http } from "wagmi";

/**
 * The local chain. It has the id of Base Sepolia, by which wallets and `viem/chains` know the public chain: a name and
 * a URL of its own, and no explorer, keep the two apart.
 */
export const chain = defineChain({
  id: 84532,
  name: "Local 84532",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: [import.meta.env.VITE_RPC_URL] } },
});

/** The browser's wallets announce themselves to wagmi (EIP-6963). */
export const config = createConfig({ chains: [chain], transports: { [chain.id]: http() } });

declare module "wagmi" {
  interface Register {
    config: typeof config;
  }
}
