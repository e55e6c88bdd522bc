/**
 * The page's link for another browser: with what the app asks, and without its `state`, which is this browser's alone and
 * nobody else's to know.
 */
export function linkForElsewhere(pageUrl: string): string {
  const url = new URL(pageUrl);
  url.search = location.search;
  url.searchParams.delete("state");
  return url.href;
}

/** How wallets' own browsers on a phone are opened at a page, as their makers document it. */
export function walletBrowsers(link: string): readonly { name: string; url: string }[] {
  const encoded = encodeURIComponent(link);
  return [
    { name: "MetaMask", url: `https://link.metamask.io/dapp/${link.replace(/^https?:\/\//, "")}` },
    { name: "Base (Coinbase Wallet)", url: `https://go.cb-w.com/dapp?cb_url=${encoded}` },
    { name: "Trust Wallet", url: `https://link.trustwallet.com/open_url?coin_id=60&url=${encoded}` },
  ];
}
