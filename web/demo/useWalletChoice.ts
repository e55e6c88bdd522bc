import { useEffect, useState } from "preact/hooks";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { networkOf, switchNetwork } from "../shared/networks.ts";
import {
  type AnnouncedWallet,
  followWallet,
  knownAccounts,
  requestAccounts,
  startingAccount,
  watchWallets,
} from "../shared/wallets.ts";
import { isSameChain } from "./chain.ts";
import type { DemoConfig } from "./config.ts";
import type { OwnChoice } from "./state.ts";

/** The wallets of the browser, and the one that is connected. */
export interface WalletChoice {
  readonly wallets: readonly AnnouncedWallet[];
  readonly wallet: AnnouncedWallet | undefined;
  readonly accounts: readonly string[];
  readonly account: string | undefined;
  /** Whether the wallet looks at the demo's chain; nothing while that is being found out. */
  readonly isSameChain: boolean | undefined;
  connect(wallet: AnnouncedWallet): Promise<void>;
  choose(account: string): void;
  disconnect(): void;
  /** Asks the wallet to look at the demo's chain. */
  changeNetwork(): Promise<void>;
}

interface Connected {
  readonly wallet: AnnouncedWallet;
  readonly accounts: readonly string[];
}

/** Connects a wallet, and again the one that was connected before the person went to the verify page. */
export function useWalletChoice(
  config: DemoConfig,
  node: Eip1193Connection,
  own: OwnChoice,
  move: (change: OwnChoice) => void,
): WalletChoice {
  const [wallets, setWallets] = useState<readonly AnnouncedWallet[]>([]);
  const [connected, setConnected] = useState<Connected>();
  const [same, setSame] = useState<boolean>();
  const { chainId, rpcUrl, registry } = config;
  const wallet = connected?.wallet;

  useEffect(() => watchWallets(setWallets), []);
  useEffect(() => {
    if (wallet === undefined) return;
    const look = () => void isSameChain(wallet.connection, node, registry).then(setSame);
    look();
    return followWallet(wallet.connection, {
      accounts: (accounts) => setConnected(accounts.length > 0 ? { wallet, accounts } : undefined),
      chain: look,
    });
  }, [wallet, node, registry]);

  const former = wallets.find(({ domain }) => domain === own.wallet);
  useEffect(() => {
    if (former === undefined || connected !== undefined) return;
    void knownAccounts(former.connection).then((accounts) => {
      if (accounts.length > 0) setConnected((current) => current ?? { wallet: former, accounts });
    });
  }, [former]);

  const accounts = connected?.accounts ?? [];
  return {
    wallets,
    wallet,
    accounts,
    account: accounts.find((account) => account === own.account) ?? accounts[0],
    isSameChain: same,
    async connect(chosen) {
      const found = await requestAccounts(chosen.connection);
      move({ wallet: chosen.domain, account: startingAccount(chosen, found) });
      setConnected({ wallet: chosen, accounts: found });
    },
    choose: (account) => move({ account }),
    disconnect() {
      setConnected(undefined);
      setSame(undefined);
      move({ wallet: undefined, account: undefined });
    },
    async changeNetwork() {
      if (wallet === undefined) return;
      await switchNetwork(wallet.connection, networkOf(chainId, rpcUrl));
      setSame(await isSameChain(wallet.connection, node, registry));
    },
  };
}
