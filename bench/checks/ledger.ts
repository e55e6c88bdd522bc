/** An account that a wallet may have been proven to hold; undefined for none. */
export type Account = { readonly id: string; readonly isEnough: boolean } | undefined;

/** The writes of each wallet, and which of them were acknowledged. A wallet has one writer at a time. */
export interface Ledger {
  /** Records the start of a write. Returns a function that records its acknowledgement. */
  begin(wallet: string, account: Account): () => void;
  /** Returns the place of the last acknowledged write, for {@link since}. */
  settled(wallet: string): number;
  /** Returns all accounts that the wallet may have had from that place on. */
  since(wallet: string, place: number): readonly Account[];
  /** Returns the wallets with a write. */
  wallets(): readonly string[];
  /** Returns the number of acknowledged writes, and the number of those that failed or are under way. */
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
