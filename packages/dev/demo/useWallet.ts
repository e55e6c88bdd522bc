import {
  type AnnouncedWallet,
  followWallet,
  knownAccounts,
  requestAccounts,
  startingAccount,
  watchWallets,
} from "@hardhat-identity/verify-page/shared/wallets";
import { useEffect, useState } from "preact/hooks";
import type { OwnChoice } from "./state.ts";

/** Connects a wallet of the browser, and again the one that was connected before the person went to the verify page. */
export function useWallet(own: OwnChoice, move: (change: OwnChoice) => void) {
  const [wallets, setWallets] = useState<readonly AnnouncedWallet[]>([]);
  const [connected, setConnected] = useState<{ wallet: AnnouncedWallet; accounts: readonly string[] }>();
  const { wallet, accounts = [] } = connected ?? {};

  useEffect(() => watchWallets(setWallets), []);
  useEffect(() => {
    if (wallet === undefined) return;
    return followWallet(wallet.connection, {
      accounts: (accounts) => setConnected(accounts.length > 0 ? { wallet, accounts } : undefined),
      chain: () => undefined,
    });
  }, [wallet]);

  const former = wallets.find(({ domain }) => domain === own.wallet);
  useEffect(() => {
    if (former === undefined || connected !== undefined) return;
    void knownAccounts(former.connection).then((accounts) => {
      if (accounts.length > 0) setConnected((current) => current ?? { wallet: former, accounts });
    });
  }, [former]);

  return {
    wallets,
    wallet,
    accounts,
    account: accounts.find((account) => account === own.account) ?? accounts[0],
    async connect(chosen: AnnouncedWallet, signal: AbortSignal): Promise<void> {
      const found = await requestAccounts(chosen.connection);
      signal.throwIfAborted();
      move({ wallet: chosen.domain, account: startingAccount(chosen, found) });
      setConnected({ wallet: chosen, accounts: found });
    },
    choose: (account: string) => move({ account }),
    disconnect(): void {
      setConnected(undefined);
      move({ wallet: undefined, account: undefined });
    },
  };
}
