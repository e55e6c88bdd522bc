import { useState } from "preact/hooks";
import type { Account } from "../../protocol/verifyPage.ts";
import { useLanguage, useTexts } from "../shared/language.tsx";
import { sharedTexts } from "../shared/texts.ts";
import { writeMoment } from "../shared/words.ts";
import type { Page } from "./page.ts";
import { erase } from "./service.ts";
import { TraitList } from "./TraitList.tsx";
import { useAction } from "./useAction.ts";

/** "Your accounts": what is stored for the wallet, and how to delete it. */
export function Accounts({ page, wallet }: { page: Page; wallet: string }) {
  const { accounts = [] } = page.overview;
  if (accounts.length === 0) return <p>Nothing is stored for this wallet.</p>;
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
  const { provider, label, traits, authenticatedAt } = account;
  const [asks, setAsks] = useState(false);
  const task = useAction(page);
  const erased = `Your ${label} account is deleted here, for good. What you claimed with it stays on the blockchain.`;
  return (
    <article class="card" aria-label={label}>
      <p>
        <b>{label}</b>
      </p>
      <p class="quiet-text">
        Last proven on {writeMoment(authenticatedAt, useTexts(sharedTexts), useLanguage().locale)}
      </p>
      <TraitList traits={traits} />
      {asks ? (
        <>
          <p>
            It is erased here at once and for good, also from the database's files. What is on a blockchain
            already, from claims that you made, stays there: nobody can delete that.
          </p>
          <div role="status">{task.problem && <p class="notice bad">{task.problem}</p>}</div>
          <div class="actions">
            <button
              type="button"
              class="danger"
              disabled={task.busy}
              onClick={() =>
                task.run(async () => {
                  await erase({ wallet, provider });
                  await page.reload(erased);
                })
              }
            >
              Delete it for good
            </button>
            <button type="button" class="quiet" onClick={() => setAsks(false)}>
              Keep it
            </button>
          </div>
        </>
      ) : (
        <button type="button" class="danger" onClick={() => setAsks(true)}>
          Delete
        </button>
      )}
    </article>
  );
}
