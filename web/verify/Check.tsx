import type { Proof } from "../../protocol/verifyPage.ts";
import { Heading } from "../shared/Heading.tsx";
import { Consequences } from "./Consequences.tsx";
import type { Page } from "./page.ts";
import { Steps } from "./Steps.tsx";
import { discard, keep } from "./service.ts";
import { TraitList } from "./TraitList.tsx";
import { useAction } from "./useAction.ts";

/** Step 4: see what was read of the account, and have it stored or not. */
export function Check(props: { page: Page; wallet: string; proof: Extract<Proof, { step: "proven" }> }) {
  const { page, wallet, proof } = props;
  const { returnTo } = page.overview;
  const { id, label, traits, replaces } = proof;
  const task = useAction(page);

  const store = () =>
    task.run(async () => {
      await keep({ wallet, proof: id });
      if (returnTo === undefined) await page.reload(`Your ${label} account is stored.`);
      else page.leave("success");
    });
  const forget = () =>
    task.run(async () => {
      await discard({ wallet, proof: id });
      await page.reload("Nothing was stored.");
    });
  return (
    <>
      <Steps page={page} current={4} />
      <Heading>Is this right?</Heading>
      <p>
        Your {label} account is proven. Nothing is stored yet. We would store this, for your wallet{" "}
        <code>{wallet}</code>:
      </p>
      <section class="card" aria-label="What would be stored">
        <TraitList traits={traits} />
        <p class="quiet-text">
          And when you proved it, and a code in place of the account's id, from which nobody without our key
          can tell the account.
        </p>
      </section>
      {replaces && (
        <p class="notice bad">
          You proved another {label} account before. This one takes its place, and apps will take you for
          another person than before.
        </p>
      )}
      <Consequences />
      <div role="status">{task.problem && <p class="notice bad">{task.problem}</p>}</div>
      <div class="actions">
        <button type="button" disabled={task.busy} onClick={store}>
          {returnTo ? `Store it, and go back to ${new URL(returnTo.origin).host}` : "Store it"}
        </button>
        <button type="button" class="quiet" disabled={task.busy} onClick={forget}>
          Do not store it
        </button>
      </div>
    </>
  );
}
