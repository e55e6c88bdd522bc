import type { Proof } from "../messages.ts";
import { useLanguage, useTexts } from "../shared/language.tsx";
import { Actions } from "./Actions.tsx";
import { BackToApp } from "./BackToApp.tsx";
import { goToProvider } from "./goToProvider.ts";
import { titleProve } from "./Prove.tsx";
import type { Page } from "./page.ts";
import { discard } from "./service.ts";
import { Top } from "./Top.tsx";
import { verifyTexts } from "./texts.ts";
import { useAction } from "./useAction.ts";

/** The sign-in at the provider came to nothing. */
export function Failed(props: { page: Page; wallet: string; proof: Extract<Proof, { step: "failed" }> }) {
  const { page, wallet, proof } = props;
  const { id, provider, label, reason } = proof;
  const texts = useTexts(verifyTexts);
  const { language } = useLanguage();
  const isDenied = reason === "denied";
  const isOfPerson = isDenied || reason === "partly_denied";
  // Where the app takes this provider's account alone, there is nothing else to choose on the screen before.
  const hasChoice = page.app === undefined || page.overview.providers.filter(({ asked }) => asked).length > 1;
  const task = useAction(page);
  const again = () =>
    task.run(async (say) => {
      say(texts.prove.leaving(label));
      await goToProvider({ wallet, provider, language });
    });
  const back = () =>
    task.run(async () => {
      await discard({ wallet, proof: id });
      await page.reload();
    });
  return (
    <>
      <Top page={page} step={2}>
        {isDenied ? texts.failed.denied : texts.failed.title(label)}
      </Top>
      <p>
        {texts.failed.reasons[reason](label)} {texts.failed.nothing}
      </p>
      <Actions
        task={task}
        next={
          <>
            <button type="button" aria-disabled={task.busy} onClick={again}>
              {texts.tryAgain}
            </button>
            <BackToApp
              page={page}
              look="quiet"
              reason={isOfPerson ? "access_denied" : "provider_unavailable"}
            />
          </>
        }
      >
        {hasChoice && (
          <button type="button" class="link" aria-disabled={task.busy} onClick={back}>
            {texts.failed.back(titleProve(page, texts.prove))}
          </button>
        )}
      </Actions>
    </>
  );
}
