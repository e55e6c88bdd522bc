import { signMessage } from "@hardhat-identity/client/signIn/signMessage";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { AccountChoice } from "../shared/AccountChoice.tsx";
import { ServiceFailure } from "../shared/fetchAnswer.ts";
import { useLanguage, useTexts } from "../shared/language.tsx";
import { sharedTexts } from "../shared/texts.ts";
import { useTask } from "../shared/useTask.ts";
import {
  type AnnouncedWallet,
  chooseAccounts,
  followWallet,
  nameWallet,
  startingAccount,
} from "../shared/wallets.ts";
import { shortenAddress } from "../shared/words.ts";
import { Actions } from "./Actions.tsx";
import { Address } from "./Address.tsx";
import { BackToApp } from "./BackToApp.tsx";
import { goToProvider } from "./goToProvider.ts";
import { noteSignedIn } from "./memory.ts";
import { NetworkNotice } from "./NetworkNotice.tsx";
import { OtherWallet } from "./OtherWallet.tsx";
import type { Page } from "./page.ts";
import { askMessage, link, readOverview } from "./service.ts";
import { Top } from "./Top.tsx";
import { verifyTexts } from "./texts.ts";
import { YourWallet } from "./YourWallet.tsx";

/** The provider to which signing in leads on by itself: an app asks for it alone, and for this wallet. */
function findOnlyProvider({ overview, app }: Page, wallet: string) {
  const [only, another] = overview.providers.filter(({ asked }) => asked);
  return app !== undefined && overview.askedWallet === wallet && another === undefined ? only : undefined;
}

/** Whether the wallet that has just signed in has something to look at first: an account, or a proof under way. */
async function hasMore(): Promise<boolean> {
  const { accounts = [], proof } = await readOverview();
  return accounts.length > 0 || (proof !== undefined && proof.step !== "started");
}

/** The browser keeps no cookies, without which no signature counts. */
class NoCookies extends Error {
  override readonly name = "NoCookies";
}

/** The person has turned to another of the wallet's accounts. */
class AccountSwitched extends Error {
  override readonly name = "AccountSwitched";
}

/** Asks for the message to sign, in a browser that keeps its cookie. */
async function requestMessage(address: string): Promise<string> {
  const first = await askMessage(address);
  // The first answer sets the cookie, and the browser sends it with the second request.
  const asked = first.keepsCookies ? first : await askMessage(address);
  if (!asked.keepsCookies) throw new NoCookies("The browser did not send the message's cookie.");
  return asked.message;
}

/** Still step 1: the wallet signs in with a message. */
export function SignIn(props: {
  page: Page;
  wallet: AnnouncedWallet;
  accounts: readonly string[];
  chainId: number | undefined;
  disconnect: (byWallet: boolean) => void;
}) {
  const { page, wallet, disconnect } = props;
  const { askedWallet } = page.overview;
  const texts = useTexts(verifyTexts);
  const shared = useTexts(sharedTexts);
  const { language } = useLanguage();
  const [accounts, setAccounts] = useState(props.accounts);
  const [address, setAddress] = useState(startingAccount(wallet, accounts, askedWallet) ?? "");
  /** Whether the person has chosen accounts in the wallet, and the one that the app asks for was not among them. */
  const [stillMissing, setStillMissing] = useState(false);
  const take = (found: readonly string[]) => {
    const [first] = found;
    if (first === undefined) return disconnect(true);
    setAccounts(found);
    // The wallet's first is the one that the person has chosen there.
    setAddress(found.find((account) => account === askedWallet) ?? first);
  };
  // Other effects end only after the next paint, and the wallet may tell of its accounts before.
  useLayoutEffect(
    () => followWallet(wallet.connection, { accounts: take, chain: () => undefined }),
    [wallet, askedWallet],
  );
  const task = useTask((error) => {
    if (error instanceof NoCookies) return texts.signIn.noCookies(location.host);
    if (error instanceof AccountSwitched) return texts.signIn.switched;
    const code = error instanceof ServiceFailure ? error.code : undefined;
    if (code === "invalid_argument") return texts.signIn.wrongSignature(shortenAddress(address));
    if (code === "not_signed_in") return texts.signIn.messageEnded;
    return undefined;
  });

  const isOther = askedWallet !== undefined && askedWallet !== address && !page.accepts(address);
  // A wallet may still ask for the signature of an account that the page no longer shows.
  const signsFor = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const isSigning = signsFor.current !== undefined;
    signsFor.current = undefined;
    // A problem with the former account is over; the screen for another wallet says by itself what is wrong.
    if (isSigning || !task.busy) task.stop(isSigning && !isOther ? new AccountSwitched() : undefined);
  }, [address]);

  const next = findOnlyProvider(page, address);
  const sign = () =>
    task.run(async (say, signal) => {
      try {
        signsFor.current = address;
        say(texts.signIn.preparing);
        const message = await requestMessage(address);
        signal.throwIfAborted();
        if (!wallet.isDevelopment) say(shared.lookAtWallet.sign);
        const signature = await signMessage(wallet.connection, { address, message });
        signal.throwIfAborted();
        say(texts.signIn.checking);
        await link({ wallet: address, signature });
        noteSignedIn();
        // Too late to take it back: the page shows who is signed in.
        if (signal.aborted) return await page.reload();
        if (next !== undefined && !(await hasMore())) {
          say(texts.prove.leaving(next.label));
          await goToProvider({ wallet: address, provider: next.name, language });
        } else await page.reload();
      } catch (error) {
        if (!(error instanceof ServiceFailure && error.code === "stale_page")) throw error;
        page.outdate();
      } finally {
        if (!signal.aborted) signsFor.current = undefined;
      }
    });
  const askAgain = () =>
    task.restart(async (say, signal) => {
      setStillMissing(false);
      if (!wallet.isDevelopment) say(shared.lookAtWallet.connect);
      const found = await chooseAccounts(wallet.connection);
      signal.throwIfAborted();
      take(found);
      setStillMissing(true);
    });
  // Where the wallet has the one that the app asks for, there is nothing to choose.
  const choice = accounts.length > 1 && address !== askedWallet && (
    <div class="account">
      <AccountChoice
        accounts={accounts}
        isDevelopment={wallet.isDevelopment}
        chosen={address}
        choose={setAddress}
      />
      <p class="quiet-text">
        <Address wallet={address} isElsewhere />
      </p>
    </div>
  );
  if (isOther) {
    const problem = stillMissing ? texts.other.stillMissing : task.problem;
    return (
      <>
        <Top page={page} step={1}>
          {texts.other.title}
        </Top>
        <OtherWallet
          page={page}
          wallet={address}
          what={texts.other.missing(nameWallet(wallet, shared))}
          task={{ ...task, problem }}
        >
          <button type="button" onClick={askAgain}>
            {texts.other.askAgain}
          </button>
        </OtherWallet>
      </>
    );
  }
  return (
    <>
      <Top page={page} step={1}>
        {texts.signIn.title}
      </Top>
      <p>{texts.signIn.what(location.host)}</p>
      {next && <p>{texts.prove.how(next.label)}</p>}
      {choice || <YourWallet page={page} wallet={address} />}
      <NetworkNotice page={page} wallet={wallet} chainId={props.chainId} />
      <Actions
        task={task}
        next={
          <button type="button" aria-disabled={task.busy} onClick={sign}>
            {texts.signIn.sign}
          </button>
        }
      >
        <button type="button" class="link" onClick={() => disconnect(false)}>
          {texts.signIn.another}
        </button>
        <BackToApp page={page} reason={task.problem ? "signature_rejected" : "cancelled"} />
      </Actions>
    </>
  );
}
