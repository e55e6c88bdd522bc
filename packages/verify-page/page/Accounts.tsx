import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Account } from "../messages.ts";
import { ServiceFailure } from "../shared/fetchAnswer.ts";
import { useTexts } from "../shared/language.tsx";
import { Progress } from "../shared/Progress.tsx";
import type { Page } from "./page.ts";
import { erase } from "./service.ts";
import { TraitList } from "./TraitList.tsx";
import { verifyTexts } from "./texts.ts";
import { useAction } from "./useAction.ts";

/** "Your accounts": what is stored for the wallet, and how to delete it. */
export function Accounts({ page, wallet }: { page: Page; wallet: string }) {
  const texts = useTexts(verifyTexts);
  const { accounts = [] } = page.overview;
  if (accounts.length === 0) return <p>{texts.accounts.none}</p>;
  return (
    <>
      {accounts.map((account) => (
        <StoredAccount key={account.provider} page={page} wallet={wallet} account={account} />
      ))}
    </>
  );
}

function StoredAccount(props: { page: Page; wallet: string; account: Account }) {
  const { page, wallet, account } = props;
  const { label, traits, authenticatedAt } = account;
  const texts = useTexts(verifyTexts);
  const [asks, setAsks] = useState<boolean>();
  const start = useRef<HTMLButtonElement>(null);
  const ask = () => {
    page.unsay();
    setAsks(true);
  };
  useLayoutEffect(() => {
    if (asks === false) start.current?.focus();
  }, [asks]);
  return (
    <article class="card" aria-label={label}>
      <p class="label">
        <b>{label}</b>
      </p>
      <TraitList traits={traits} authenticatedAt={authenticatedAt} />
      {asks ? (
        <Erasure page={page} wallet={wallet} account={account} keep={() => setAsks(false)} />
      ) : (
        <button type="button" class="danger" ref={start} onClick={ask}>
          {texts.accounts.erase}
        </button>
      )}
    </article>
  );
}

/** The last look before an account is deleted. */
function Erasure(props: { page: Page; wallet: string; account: Account; keep: () => void }) {
  const { page, wallet, account, keep } = props;
  const { accounts } = useTexts(verifyTexts);
  const task = useAction(page);
  const question = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => question.current?.focus(), []);
  const eraseNow = () =>
    task.run(async () => {
      try {
        await erase({ wallet, provider: account.provider });
        await page.reload((texts) => texts.accounts.erased(account.label));
      } catch (error) {
        if (!(error instanceof ServiceFailure && error.code === "not_found")) throw error;
        await page.reload((texts) => texts.accounts.gone);
      }
    });
  return (
    <>
      <p ref={question} tabIndex={-1}>
        {accounts.consequence}
      </p>
      <div class="actions">
        <button type="button" class="danger" aria-disabled={task.busy} onClick={eraseNow}>
          {accounts.eraseNow}
        </button>
        <button type="button" class="quiet" aria-disabled={task.busy} onClick={() => task.busy || keep()}>
          {accounts.keep}
        </button>
      </div>
      <Progress task={task} />
    </>
  );
}
