import { useEffect, useState } from "preact/hooks";
import { Heading } from "../shared/Heading.tsx";
import { useTask } from "../shared/useTask.ts";
import { type AnnouncedWallet, requestAccounts, watchWallets } from "../shared/wallets.ts";
import { BackToApp } from "./BackToApp.tsx";
import { explain, type Page } from "./page.ts";
import { SignIn } from "./SignIn.tsx";
import { Steps } from "./Steps.tsx";

interface Connected {
  readonly wallet: AnnouncedWallet;
  readonly accounts: readonly string[];
}

/** Step 1: choose a wallet among those that the browser has. */
export function Connect({ page }: { page: Page }) {
  const [wallets, setWallets] = useState<readonly AnnouncedWallet[]>([]);
  const [connected, setConnected] = useState<Connected>();
  const { development } = page.overview;
  const task = useTask(explain);
  useEffect(() => watchWallets(setWallets), []);
  useEffect(() => {
    if (development === undefined) return;
    void import("../../wallet/announce.ts").then(({ announceWallet }) => announceWallet(development));
  }, [development]);

  if (connected !== undefined) {
    return <SignIn page={page} {...connected} back={() => setConnected(undefined)} />;
  }
  if (wallets.length === 0 && development === undefined) return <NoWallet page={page} />;

  const connect = (wallet: AnnouncedWallet) =>
    task.run(async () => {
      const accounts = await requestAccounts(wallet.connection);
      if (accounts.length > 0) setConnected({ wallet, accounts });
    });
  return (
    <>
      <Steps page={page} current={1} />
      <Heading>Connect a wallet</Heading>
      <p>
        Here you prove that an account, such as a social media account, is yours. Apps then know that you are
        one real person, and not who you are.
      </p>
      <p>Choose the wallet that you use with the app. Connecting shows us its address, and costs nothing.</p>
      {wallets.map((wallet) => (
        <button
          type="button"
          key={wallet.id}
          class="choice"
          disabled={task.busy}
          onClick={() => connect(wallet)}
        >
          {wallet.icon && <img src={wallet.icon} alt="" />}
          <span>
            {wallet.name} {wallet.isDevelopment && <span class="tag">for development only</span>}
          </span>
        </button>
      ))}
      <div role="status">
        {task.busy && <p class="notice">Look at your wallet: it asks whether you want to connect.</p>}
        {task.problem && <p class="notice bad">{task.problem}</p>}
      </div>
      <div class="actions">
        <BackToApp page={page} reason="cancelled" />
      </div>
    </>
  );
}

function NoWallet({ page }: { page: Page }) {
  return (
    <>
      <Steps page={page} current={1} />
      <Heading>You need a wallet</Heading>
      <p>
        A wallet is an app that keeps your keys and signs for you, often as an extension of your browser. We
        found none in this browser.
      </p>
      <p>
        If you have one, open this page in the browser in which it is installed, or in the wallet's own
        browser on your phone. If you have just installed it, look again.
      </p>
      <div class="actions">
        <button type="button" onClick={() => location.reload()}>
          Look again
        </button>
        <BackToApp page={page} reason="no_wallet" />
      </div>
    </>
  );
}
