import type { FailureReason, Proof } from "../../protocol/verifyPage.ts";
import { Heading } from "../shared/Heading.tsx";
import { BackToApp } from "./BackToApp.tsx";
import type { Page } from "./page.ts";
import { Steps } from "./Steps.tsx";
import { discard, prove } from "./service.ts";
import { useAction } from "./useAction.ts";

/** The sign-in at the provider came to nothing. */
export function Failed(props: { page: Page; wallet: string; proof: Extract<Proof, { step: "failed" }> }) {
  const { page, wallet, proof } = props;
  const { id, provider, label, reason } = proof;
  const isDenied = reason === "denied";
  const task = useAction(page);
  return (
    <>
      <Steps page={page} current={3} />
      <Heading>{isDenied ? "You did not allow it" : `${label} did not answer as it should`}</Heading>
      <p>{describe(label, reason)}</p>
      <p>Nothing was stored, and nothing that was stored before has changed.</p>
      <div role="status">{task.problem && <p class="notice bad">{task.problem}</p>}</div>
      <div class="actions">
        <button
          type="button"
          disabled={task.busy}
          onClick={() => task.run(async () => location.assign(await prove({ wallet, provider })))}
        >
          Try again
        </button>
        <button
          type="button"
          class="quiet"
          disabled={task.busy}
          onClick={() =>
            task.run(async () => {
              await discard({ wallet, proof: id });
              await page.reload();
            })
          }
        >
          Back
        </button>
        <BackToApp page={page} reason={isDenied ? "access_denied" : "provider_unavailable"} />
      </div>
    </>
  );
}

function describe(label: string, reason: FailureReason): string {
  switch (reason) {
    case "denied":
      return `At ${label}, you chose not to let us look at your account. That is fine.`;
    case "rate_limited":
      return `${label} has too many visitors from us at the moment. Wait a few minutes and try again.`;
    case "timeout":
    case "unreachable":
    case "provider_error":
      return `${label} has trouble at the moment. Wait a little and try again.`;
    case "refused":
      return `${label} ended the sign-in before we could look at your account. Try again; it may have taken too long.`;
    case "bad_answer":
      return `${label} told us something that we do not understand. Try again; if it stays so, come back tomorrow.`;
  }
}
