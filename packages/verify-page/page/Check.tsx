import { useState } from "preact/hooks";
import { nameTrait } from "../content/traitWords.ts";
import type { Proof } from "../messages.ts";
import { ServiceFailure } from "../shared/fetchAnswer.ts";
import { useLanguage, useTexts } from "../shared/language.tsx";
import { sharedTexts } from "../shared/texts.ts";
import { Actions } from "./Actions.tsx";
import { Consequences } from "./Consequences.tsx";
import type { Page } from "./page.ts";
import { Stored } from "./Stored.tsx";
import { discard, keep } from "./service.ts";
import { Top } from "./Top.tsx";
import { TraitList } from "./TraitList.tsx";
import { verifyTexts } from "./texts.ts";
import { useAction } from "./useAction.ts";
import { YourWallet } from "./YourWallet.tsx";

/** Whether the service refused before it stored anything. */
const isEarlyRefusal = (error: unknown): boolean =>
  error instanceof ServiceFailure && ["rate_limited", "not_ready"].includes(error.code);

/** Step 3: see what was read of the account, and have it stored or not. */
export function Check(props: { page: Page; wallet: string; proof: Extract<Proof, { step: "proven" }> }) {
  const { page, wallet, proof } = props;
  const { id, label, accountName, traits, authenticatedAt, replaces, dropped } = proof;
  const { check } = useTexts(verifyTexts);
  const words = useTexts(sharedTexts);
  const { locale } = useLanguage();
  const task = useAction(page);
  const [isStored, setStored] = useState(false);
  /** Whether storing it was asked for, and no answer came: it may be stored. */
  const [isUnknown, setUnknown] = useState(false);
  const { returnTo } = page.overview;
  // Nobody is led on to a site that the operator does not know before the next screen has asked.
  const [storeAndGo, whereTo] = check.storeAndGo(page.app ?? "");

  const store = () =>
    task.run(async (say) => {
      say(check.storing);
      try {
        await keep({ wallet, proof: id });
      } catch (error) {
        if (!isEarlyRefusal(error)) setUnknown(true);
        throw error;
      }
      if (page.app === undefined) await page.reload((texts) => `${texts.check.stored(label)}.`, "good");
      else setStored(true);
    });
  const forget = () =>
    task.run(async () => {
      const { stored } = await discard({ wallet, proof: id });
      await page.reload((texts) => (stored ? texts.check.wasStored(label) : texts.check.discarded));
    });
  if (isStored && page.app !== undefined) return <Stored page={page} app={page.app} label={label} />;
  return (
    <>
      <Top page={page} step={3}>
        {check.title}
      </Top>
      <YourWallet page={page} wallet={wallet} />
      {replaces && <p class="notice bad">{check.replaces(label)}</p>}
      {dropped.length > 0 && (
        <p class="notice bad">
          {check.dropped(
            label,
            new Intl.ListFormat(locale).format(dropped.map((name) => nameTrait(name, words))),
          )}
        </p>
      )}
      {accountName !== undefined && (
        <p>
          {check.signedInAs(
            <bdi class="name" translate={false}>
              {accountName}
            </bdi>,
          )}
        </p>
      )}
      <p>{isUnknown && task.problem ? check.mayBeStored(label) : check.proven(label)}</p>
      <section class="card" aria-label={check.what}>
        <TraitList traits={traits} authenticatedAt={authenticatedAt} />
      </section>
      <Consequences />
      <Actions
        task={task}
        next={
          <>
            <button type="button" aria-disabled={task.busy} onClick={store}>
              {returnTo?.kind === "trusted" ? (
                <>
                  {storeAndGo} <span class="where">{whereTo}</span>
                </>
              ) : (
                check.store
              )}
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
