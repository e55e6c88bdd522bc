import { useEffect, useState } from "preact/hooks";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import {
  type AnnouncedWallet,
  knownAccounts,
  requestAccounts,
  startingAccount,
  watchWallets,
} from "../shared/wallets.ts";
import { isSameChain } from "./chain.ts";
import type { DemoConfig } from "./config.ts";
import type { Place } from "./place.ts";

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
}

interface Connected {
  readonly wallet: AnnouncedWallet;
  readonly accounts: readonly string[];
}

/** Connects a wallet, and again the one that was connected before the person went to the verify page. */
export function useWalletChoice(
  config: DemoConfig,
  node: Eip1193Connection,
  place: Place,
  move: (change: Place) => void,
): WalletChoice {
  const [wallets, setWallets] = useState<readonly AnnouncedWallet[]>([]);
  const [connected, setConnected] = useState<Connected>();
  const [same, setSame] = useState<boolean>();
  const { registry } = config;

  useEffect(() => watchWallets(setWallets), []);

  const use = async (wallet: AnnouncedWallet, accounts: readonly string[]) => {
    setConnected({ wallet, accounts });
    setSame(await isSameChain(wallet.connection, node, registry));
  };
  const former = wallets.find(({ domain }) => domain === place.wallet);
  useEffect(() => {
    if (former === undefined || connected !== undefined) return;
    void knownAccounts(former.connection).then(async (found) => {
      if (found.length > 0) await use(former, found);
    });
  }, [former, connected === undefined]);

  const accounts = connected?.accounts ?? [];
  return {
    wallets,
    wallet: connected?.wallet,
    accounts,
    account: accounts.find((account) => account === place.account) ?? accounts[0],
    isSameChain: same,
    async connect(wallet) {
      const found = await requestAccounts(wallet.connection);
      if (found.length === 0) return;
      move({ wallet: wallet.domain, account: startingAccount(wallet, found) });
      await use(wallet, found);
    },
    choose: (account) => move({ account }),
    disconnect() {
      setConnected(undefined);
      setSame(undefined);
      move({ wallet: undefined, account: undefined });
    },
  };
}
