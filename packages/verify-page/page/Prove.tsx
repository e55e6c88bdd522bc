import { announceWallet } from "@hardhat-identity/wallet/announce";
import { useEffect, useState } from "preact/hooks";
import { providerMark } from "../content/providerMarks.ts";
import type { Account } from "../messages.ts";
import { useLanguage, useTexts } from "../shared/language.tsx";
import { Progress } from "../shared/Progress.tsx";
import { sharedTexts } from "../shared/texts.ts";
import type { Task } from "../shared/useTask.ts";
import { reachDevelopment, requestAccounts } from "../shared/wallets.ts";
import { writeMoment } from "../shared/words.ts";
import { Accounts } from "./Accounts.tsx";
import { Actions } from "./Actions.tsx";
import { BackToApp } from "./BackToApp.tsx";
import { Choice } from "./Choice.tsx";
import { Consequences } from "./Consequences.tsx";
import { goToProvider } from "./goToProvider.ts";
import { Loading } from "./Loading.tsx";
import { hasLeftFor, rememberWallet } from "./memory.ts";
import { OtherWallet } from "./OtherWallet.tsx";
import type { Page } from "./page.ts";
import { signOut } from "./service.ts";
import { Top } from "./Top.tsx";
import type { VerifyTexts } from "./texts/en.tsx";
import { verifyTexts } from "./texts.ts";
import { useAction } from "./useAction.ts";
import { YourWallet } from "./YourWallet.tsx";

/** The screen's title, also for links to it. */
export const titleProve = (page: Page, { accounts, done, title }: VerifyTexts["prove"]): string =>
  page.app === undefined ? accounts : canGoOn(page) ? done : title;

/** Step 2: go to a provider. For people who came without an app, their accounts come first. */
export function Prove({ page, wallet }: { page: Page; wallet: string }) {
  const { prove } = useTexts(verifyTexts);
  const { askedWallet, proof, accounts = [] } = page.overview;
  const isVisit = page.app === undefined;
  const isDone = canGoOn(page);
  const isOther = askedWallet !== undefined && askedWallet !== wallet && !page.accepts(wallet);
  if (isOther) return <SignedInWithAnother page={page} wallet={wallet} asked={askedWallet} />;
  return (
    <>
      <Top page={page} step={isDone ? 4 : 2}>
        {titleProve(page, prove)}
      </Top>
      {proof?.step === "started" && hasLeftFor(proof.provider) && (
        <p class="notice">{prove.unfinished(proof.label)}</p>
      )}
      <YourWallet page={page} wallet={wallet} />
      {isVisit && <SignOut page={page} wallet={wallet} />}
      {!isVisit && <AlreadyProven page={page} wallet={wallet} app={page.app ?? ""} />}
      {isVisit && <Accounts page={page} wallet={wallet} />}
      {isVisit && <h2>{prove.title}</h2>}
      <Providers page={page} wallet={wallet} />
      {!isVisit && accounts.length > 0 && (
        <section aria-labelledby="accounts">
          <h2 id="accounts">{prove.accounts}</h2>
          <Accounts page={page} wallet={wallet} />
        </section>
      )}
    </>
  );
}

/** The way on where the app asks for an account that the wallet has proven, unless that was too long ago. */
function AlreadyProven({ page, wallet, app }: { page: Page; wallet: string; app: string }) {
  const { prove } = useTexts(verifyTexts);
  const words = useTexts(sharedTexts);
  const { locale } = useLanguage();
  const { since } = page.overview;
  const asked = listAsked(page);
  const isFresh = isFreshFor(page);
  const task = useAction(page);
  const sayTooOld = ({ label, authenticatedAt }: Account) => {
    const [proven, needed] = [authenticatedAt, since].map((moment) => Math.floor(moment / 60));
    // Within a minute, only seconds tell them apart.
    const say = (moment: number) =>
      writeMoment(moment, words, locale, proven === needed ? "medium" : "short");
    return prove.tooOld(label, say(authenticatedAt), app, say(since));
  };
  return (
    <>
      {!asked.some(isFresh) &&
        asked.map((account) => (
          <p key={account.provider} class="notice">
            {sayTooOld(account)}
          </p>
        ))}
      {asked.some(isFresh) && (
        <>
          <p>{prove.usable(app)}</p>
          <Actions
            task={task}
            next={
              <button type="button" onClick={() => page.leave("success")}>
                {prove.goOn(app)}
              </button>
            }
          >
            <SignOutButton page={page} wallet={wallet} task={task} />
          </Actions>
        </>
      )}
    </>
  );
}

const isFreshFor =
  ({ overview: { since } }: Page) =>
  ({ authenticatedAt }: Account): boolean =>
    authenticatedAt >= since;

/** Whether the app gets what it asks for without anything being proven. */
const canGoOn = (page: Page): boolean => page.app !== undefined && listAsked(page).some(isFreshFor(page));

function listAsked({ overview }: Page): readonly Account[] {
  const { providers, accounts = [] } = overview;
  return accounts.filter(({ provider }) => providers.some(({ name, asked }) => asked && name === provider));
}

/** People who came without an app can sign out, to link another wallet. */
function SignOut({ page, wallet }: { page: Page; wallet: string }) {
  const task = useAction(page);
  return (
    <div class="sign-out">
      <SignOutButton page={page} wallet={wallet} task={task} />
      <Progress task={task} />
    </div>
  );
}

function SignOutButton({ page, wallet, task }: { page: Page; wallet: string; task: Task }) {
  const { prove } = useTexts(verifyTexts);
  return (
    <button
      type="button"
      class="link"
      aria-disabled={task.busy}
      onClick={() => task.run(() => takeAnother(page, wallet))}
    >
      {prove.signOut}
    </button>
  );
}

/**
 * The session belongs to another wallet than the app asks for. The person chooses one, unless both are accounts of the
 * development wallet: then the session ends.
 */
function SignedInWithAnother({ page, wallet, asked }: { page: Page; wallet: string; asked: string }) {
  const { other } = useTexts(verifyTexts);
  const { development } = page.overview;
  const [isLooking, setLooking] = useState(development !== undefined);
  const task = useAction(page);
  useEffect(() => {
    if (development === undefined) return;
    void readDevelopmentAccounts(development)
      .then((accounts) => {
        if ([wallet, asked].every((each) => accounts.includes(each)))
          return task.run(() => takeAnother(page, wallet));
      })
      .finally(() => setLooking(false));
  }, []);
  if (isLooking) return <Loading page={page} />;
  return (
    <>
      <Top page={page} step={1}>
        {other.title}
      </Top>
      <OtherWallet page={page} wallet={wallet} what={other.signedIn} task={task}>
        <button
          type="button"
          aria-disabled={task.busy}
          onClick={() => task.run(() => takeAnother(page, wallet))}
        >
          {other.signInWithRight}
        </button>
      </OtherWallet>
    </>
  );
}

/** The development wallet connects without asking anybody. */
async function readDevelopmentAccounts(development: { readonly rpcUrl: string }): Promise<readonly string[]> {
  try {
    return await requestAccounts(reachDevelopment(announceWallet(development)));
  } catch {
    return [];
  }
}

async function takeAnother(page: Page, wallet: string): Promise<void> {
  await signOut({ wallet });
  rememberWallet(undefined);
  await page.reload();
}

function iconOf(provider: string): string | undefined {
  const mark = providerMark(provider);
  return mark && `data:image/svg+xml,${encodeURIComponent(mark)}`;
}

function Providers({ page, wallet }: { page: Page; wallet: string }) {
  const { prove } = useTexts(verifyTexts);
  const { language } = useLanguage();
  const { providers, accounts = [] } = page.overview;
  const asked = providers.filter((provider) => provider.asked);
  const task = useAction(page);
  const [isAgain, setAgain] = useState(false);
  const others = page.app !== undefined && !canGoOn(page) && (
    <>
      <SignOutButton page={page} wallet={wallet} task={task} />
      <BackToApp page={page} reason="cancelled" />
    </>
  );
  if (asked.length === 0) {
    return (
      <>
        <p class="notice">{prove.none}</p>
        <Actions task={task}>{others}</Actions>
      </>
    );
  }
  const isProven = (name: string) => accounts.some(({ provider }) => provider === name);
  const isOneOfMany = asked.length > 1;
  const buttons = asked.map(({ name, label }) => {
    const go = () =>
      task.run(async (say) => {
        say(prove.leaving(label));
        await goToProvider({ wallet, provider: name, language });
      });
    if (isOneOfMany)
      return (
        <Choice
          key={name}
          name={label}
          icon={iconOf(name)}
          note={isProven(name) ? prove.again : undefined}
          busy={task.busy}
          onClick={go}
        />
      );
    return (
      <button type="button" class={canGoOn(page) ? "quiet" : ""} aria-disabled={task.busy} onClick={go}>
        {prove.goOn(label)}
      </button>
    );
  });
  const ways = (
    <>
      <p>{prove.how(isOneOfMany ? undefined : asked[0]?.label)}</p>
      <Consequences />
      <Actions task={task} isList={isOneOfMany} next={buttons}>
        {others}
      </Actions>
    </>
  );
  if (!canGoOn(page)) return ways;
  return (
    <>
      <p>
        <button type="button" class="link" aria-expanded={isAgain} onClick={() => setAgain(!isAgain)}>
          {prove.allTheSame}
        </button>
      </p>
      {isAgain && <div>{ways}</div>}
    </>
  );
}
