import type { Proof } from "../../protocol/verifyPage.ts";
import { useTexts } from "../shared/language.tsx";
import { Actions } from "./Actions.tsx";
import { Consequences } from "./Consequences.tsx";
import type { Page } from "./page.ts";
import { discard, keep } from "./service.ts";
import { Top } from "./Top.tsx";
import { TraitList } from "./TraitList.tsx";
import { verifyTexts } from "./texts.ts";
import { useAction } from "./useAction.ts";
import { YourWallet } from "./YourWallet.tsx";

/** Step 3: see what was read of the account, and have it stored or not. */
export function Check(props: { page: Page; wallet: string; proof: Extract<Proof, { step: "proven" }> }) {
  const { page, wallet, proof } = props;
  const { id, label, traits, replaces } = proof;
  const { check } = useTexts(verifyTexts);
  const task = useAction(page);

  const store = () =>
    task.run(async (say) => {
      say(check.storing);
      await keep({ wallet, proof: id });
      if (page.app === undefined) await page.reload((texts) => texts.check.stored(label), "good");
      else await page.leave("success");
    });
  const forget = () =>
    task.run(async () => {
      await discard({ wallet, proof: id });
      await page.reload((texts) => texts.check.discarded);
    });
  return (
    <>
      <Top page={page} step={3}>
        {check.title}
      </Top>
      <YourWallet page={page} wallet={wallet} />
      {replaces && <p class="notice bad">{check.replaces(label)}</p>}
      <p>{check.proven(label)}</p>
      <section class="card" aria-label={check.what}>
        <TraitList traits={traits} />
        <p class="quiet-text">{check.besides}</p>
      </section>
      <Consequences isShort={false} />
      <Actions
        task={task}
        next={
          <>
            <button type="button" aria-disabled={task.busy} onClick={store}>
              {page.app === undefined ? check.store : check.storeAndGo(page.app)}
            </button>
            <button type="button" class="quiet nowrap" aria-disabled={task.busy} onClick={forget}>
              {check.discard}
            </button>
          </>
        }
      />
    </>
  );
}
