import { useTexts } from "../shared/language.tsx";
import { useCopy } from "../shared/useCopy.ts";
import { BackToApp } from "./BackToApp.tsx";
import { linkForElsewhere, walletBrowsers } from "./elsewhere.ts";
import type { Page } from "./page.ts";
import { QrCode } from "./QrCode.tsx";
import { Top } from "./Top.tsx";
import { verifyTexts } from "./texts.ts";

/** In place of step 1 where the browser has no wallet: the ways to one that has. */
export function NoWallet({ page }: { page: Page }) {
  const { noWallet: texts } = useTexts(verifyTexts);
  const link = linkForElsewhere(page.overview.pageUrl);
  return (
    <>
      <Top page={page} step={1}>
        {page.isElsewhere ? texts.goBack : texts.title}
      </Top>
      {!page.isElsewhere && (
        <>
          <p>
            {texts.what} {texts.install}
          </p>
          <div class="actions">
            <button type="button" class="quiet" onClick={() => location.reload()}>
              {texts.lookAgain}
            </button>
            <a class="button quiet" href="https://ethereum.org/wallets/find-wallet" rel="noreferrer">
              {texts.find}
            </a>
          </div>
        </>
      )}
      {isPhone() && (
        <section aria-labelledby="on-phone">
          <h2 id="on-phone">{texts.onPhone}</h2>
          <ul class="plain">
            {walletBrowsers(link).map(({ name, url }) => (
              <li key={name}>
                <a class="choice" href={url} rel="noreferrer">
                  {texts.openIn(name)}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section class="card" aria-labelledby="elsewhere">
        <h2 id="elsewhere">{texts.elsewhere}</h2>
        <p>{texts.scan}</p>
        <QrCode text={link} label={texts.code} />
        <CopyLink link={link} />
        <p class="quiet-text">{texts.notTheSame}</p>
      </section>
      <div class="actions">
        <BackToApp page={page} reason="no_wallet" />
      </div>
    </>
  );
}

/** Something held in the hand: its wallets are apps. */
const isPhone = (): boolean => matchMedia("(pointer:coarse)").matches;

function CopyLink({ link }: { link: string }) {
  const { noWallet: texts } = useTexts(verifyTexts);
  const { isCopied, copy } = useCopy(link);
  return (
    <>
      <button type="button" class="quiet" onClick={copy}>
        {texts.copy}
      </button>
      <div role="status">
        {isCopied === true && <p>{texts.copied}</p>}
        {isCopied === false && (
          <p>
            {texts.copyByHand}{" "}
            <code class="address" translate={false}>
              {link}
            </code>
          </p>
        )}
      </div>
    </>
  );
}
