import { Heading } from "../shared/Heading.tsx";
import { Accounts } from "./Accounts.tsx";
import { BackToApp } from "./BackToApp.tsx";
import { Consequences } from "./Consequences.tsx";
import type { Page } from "./page.ts";
import { Steps } from "./Steps.tsx";
import { prove, signOut } from "./service.ts";
import { useAction } from "./useAction.ts";

/** Step 3: go to a provider. Whoever comes without an app finds their accounts first. */
export function Prove({ page, wallet }: { page: Page; wallet: string }) {
  const isVisit = page.overview.returnTo === undefined;
  return (
    <>
      <Steps page={page} current={3} />
      <Heading>{isVisit ? "Your accounts" : "Prove an account"}</Heading>
      <SignedIn page={page} wallet={wallet} />
      {isVisit && <Accounts page={page} wallet={wallet} />}
      {isVisit && <h2>Prove an account</h2>}
      <Providers page={page} wallet={wallet} />
      <div class="actions">
        <BackToApp page={page} reason="cancelled" />
      </div>
      {!isVisit && (
        <section aria-labelledby="accounts">
          <h2 id="accounts">Your accounts</h2>
          <Accounts page={page} wallet={wallet} />
        </section>
      )}
    </>
  );
}

/** Which wallet it is about: a person may have come back for another one. */
function SignedIn({ page, wallet }: { page: Page; wallet: string }) {
  const task = useAction(page);
  return (
    <div class="card">
      <p>
        For your wallet <code>{wallet}</code>
      </p>
      <button
        type="button"
        class="quiet"
        disabled={task.busy}
        onClick={() =>
          task.run(async () => {
            await signOut({ wallet });
            await page.reload();
          })
        }
      >
        Sign out, or use another wallet
      </button>
      <div role="status">{task.problem && <p class="notice bad">{task.problem}</p>}</div>
    </div>
  );
}

function Providers({ page, wallet }: { page: Page; wallet: string }) {
  const { providers, accounts = [] } = page.overview;
  const asked = providers.filter((provider) => provider.asked);
  const task = useAction(page);
  if (asked.length === 0) {
    return (
      <p class="notice">No account can be proven here at present: the operator has set up no provider.</p>
    );
  }
  const isProven = (name: string) => accounts.some(({ provider }) => provider === name);
  return (
    <>
      <p>
        You sign in where your account is, and allow us to look at it once. You come back here and see what we
        read, before anything is stored.
      </p>
      <Consequences />
      <div class="actions">
        {asked.map(({ name, label }) => (
          <button
            type="button"
            key={name}
            disabled={task.busy}
            onClick={() => task.run(async () => location.assign(await prove({ wallet, provider: name })))}
          >
            Prove your {label} account{isProven(name) && " again"}
          </button>
        ))}
      </div>
      <div role="status">{task.problem && <p class="notice bad">{task.problem}</p>}</div>
    </>
  );
}
