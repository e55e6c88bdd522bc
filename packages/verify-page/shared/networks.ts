import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";

/** A chain as a wallet wants to be told of it (EIP-3085). */
export interface Network {
  readonly chainId: number;
  readonly name: string;
  readonly rpcUrl: string;
  readonly explorerUrl?: string;
}

/** Public chains on which the registry is, with their makers' own endpoints. */
const known: readonly Network[] = [
  {
    chainId: 84532,
    name: "Base Sepolia",
    rpcUrl: "https://sepolia.base.org",
    explorerUrl: "https://sepolia.basescan.org",
  },
  {
    chainId: 8453,
    name: "Base",
    rpcUrl: "https://mainnet.base.org",
    explorerUrl: "https://basescan.org",
  },
];

/**
 * The network by the id of its chain; one that is not known has no more than a wallet knows of it.
 *
 * @param localRpcUrl The local node's endpoint, where it is one: it may have a public chain's id.
 */
export function networkOf(
  chainId: number,
  localRpcUrl?: string,
): Network | { chainId: number; name: string } {
  if (localRpcUrl !== undefined) return { chainId, name: `localhost-${chainId}`, rpcUrl: localRpcUrl };
  return known.find((network) => network.chainId === chainId) ?? { chainId, name: `#${chainId}` };
}

/** The chain that a wallet looks at; `undefined` when it does not say. */
export async function readChainId(wallet: Eip1193Connection): Promise<number | undefined> {
  const answer = await wallet.request({ method: "eth_chainId" }).catch(() => undefined);
  // Some answer a number.
  const chainId = /^(?:0x[\da-f]+|\d+)$/i.test(String(answer)) ? Number(answer) : Number.NaN;
  return Number.isSafeInteger(chainId) ? chainId : undefined;
}

/**
 * Switches a wallet to a network (EIP-3326), and adds the network first if the wallet may lack it (EIP-3085). Wallets say
 * that with many codes (4902, -32603, -32601, 32603), or in the person's language alone.
 *
 * @throws Whatever the wallet does.
 */
export async function switchNetwork(
  wallet: Eip1193Connection,
  network: ReturnType<typeof networkOf>,
): Promise<void> {
  const chainId = toQuantity(network.chainId);
  const change = () => wallet.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
  try {
    await change();
  } catch (error) {
    const { code, isRefusal } = readRpcError(error);
    const isAskingAlready = code === -32002;
    if (isRefusal || isAskingAlready || !("rpcUrl" in network)) throw error;
    const { name, rpcUrl, explorerUrl } = network;
    await wallet.request({
      method: "wallet_addEthereumChain",
      params: [
        {
          chainId,
          chainName: name,
          rpcUrls: [rpcUrl],
          nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
          ...(explorerUrl === undefined ? {} : { blockExplorerUrls: [explorerUrl] }),
        },
      ],
    });
    // Some wallets add it without going there.
    await change();
  }
}
