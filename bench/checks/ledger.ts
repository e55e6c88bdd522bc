/** An account that a wallet may have been proven to hold; undefined for none. */
export type Account = { readonly id: string; readonly isEnough: boolean } | undefined;

/** What was written about each wallet, and what of it was acknowledged. One writer at a time writes about a wallet. */
export interface Ledger {
  /** Notes that something is being written. Answers what notes that it was acknowledged. */
  begin(wallet: string, account: Account): () => void;
  /** What was acknowledged last, as a place from which {@link since} goes on. */
  settled(wallet: string): number;
  /** All that the wallet may have had since that place. */
  since(wallet: string, place: number): readonly Account[];
  /** Everybody about whom something was written. */
  wallets(): readonly string[];
  /** How many writes were acknowledged, and how many have failed or are under way. */
  counts(): { readonly acknowledged: number; readonly open: number };
}

export function createLedger(): Ledger {
  const histories = new Map<string, { accounts: Account[]; settled: number }>();
  let [begun, acknowledged] = [0, 0];
  const read = (wallet: string) => histories.get(wallet) ?? { accounts: [undefined], settled: 0 };
  return {
    begin(wallet, account) {
      const history = read(wallet);
      histories.set(wallet, history);
      const place = history.accounts.push(account) - 1;
      begun++;
      return () => {
        acknowledged++;
        history.settled = place;
      };
    },
    settled: (wallet) => read(wallet).settled,
    since: (wallet, place) => read(wallet).accounts.slice(place),
    wallets: () => [...histories.keys()],
    counts: () => ({ acknowledged, open: begun - acknowledged }),
  };
}
