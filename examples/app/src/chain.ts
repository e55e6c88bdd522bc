import { createPublicClient, defineChain, http } from "viem";

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

export const node = createPublicClient({ chain, transport: http() });
