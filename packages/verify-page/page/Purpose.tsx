import { useLanguage, useTexts } from "../shared/language.tsx";
import { shortenAddress } from "../shared/words.ts";
import type { Page } from "./page.ts";
import { verifyTexts } from "./texts.ts";

/** The app, its request, and the wallet, in sight on every step. Empty for people who came without an app. */
export function Purpose({ page }: { page: Page }) {
  const { purpose } = useTexts(verifyTexts);
  const { locale } = useLanguage();
  const { providers, askedWallet } = page.overview;
  if (page.app === undefined && askedWallet === undefined) return null;
  const asked = providers.filter((provider) => provider.asked);
  // An app that takes an account of any provider names none.
  const isAny = asked.length > 1 && asked.length === providers.length;
  const labels = isAny ? [] : asked.map(({ label }) => label);
  const list = new Intl.ListFormat(locale, { type: "disjunction" }).format(labels);
  return (
    <div class="purpose">
      {purpose.asks(page.app ?? purpose.anApp, purpose.accountAt(list))}{" "}
      {askedWallet && (
        <span class="for-wallet" title={askedWallet}>
          {purpose.forWallet(shortenAddress(askedWallet))}
        </span>
      )}
      {page.overview.returnTo?.kind === "ask" && <p class="warning">{purpose.unlisted}</p>}
    </div>
  );
}
