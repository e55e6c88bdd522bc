import { useState } from "preact/hooks";
import { signMessage } from "../../client/signIn/signMessage.ts";
import { AccountChoice } from "../shared/AccountChoice.tsx";
import { Heading } from "../shared/Heading.tsx";
import { type AnnouncedWallet, startingAccount } from "../shared/wallets.ts";
import { BackToApp } from "./BackToApp.tsx";
import type { Page } from "./page.ts";
import { Steps } from "./Steps.tsx";
import { askMessage, link } from "./service.ts";
import { useAction } from "./useAction.ts";

/** Step 2: the wallet signs in with a message. */
export function SignIn(props: {
  page: Page;
  wallet: AnnouncedWallet;
  accounts: readonly string[];
  back: () => void;
}) {
  const { page, wallet, accounts, back } = props;
  const [address, setAddress] = useState(startingAccount(wallet, accounts) ?? "");
  const task = useAction(page);

  const sign = () =>
    task.run(async () => {
      const message = await askMessage(address);
      await link({ wallet: address, signature: await signMessage(wallet.connection, { address, message }) });
      await page.reload();
    });
  return (
    <>
      <Steps page={page} current={2} />
      <Heading>Sign in with your wallet</Heading>
      <p>
        Your wallet will show you a short text from <b>{location.host}</b> and ask you to sign it. That proves
        that the wallet is yours. It moves no money, allows nothing to be spent, and costs nothing.
      </p>
      {accounts.length > 1 && <AccountChoice accounts={accounts} chosen={address} choose={setAddress} />}
      <p>
        {wallet.name}, address
        <code class="address">{address}</code>
      </p>
      <div role="status">
        {task.busy && <p class="notice">Look at your wallet: it asks for your signature.</p>}
        {task.problem && <p class="notice bad">{task.problem}</p>}
      </div>
      <div class="actions">
        <button type="button" disabled={task.busy} onClick={sign}>
          {task.problem ? "Try again" : "Sign in"}
        </button>
        <button type="button" class="quiet" onClick={back}>
          Use another wallet
        </button>
        <BackToApp page={page} reason={task.problem ? "signature_rejected" : "cancelled"} />
      </div>
    </>
  );
}
