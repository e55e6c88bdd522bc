import { AccountChoice } from "../shared/AccountChoice.tsx";
import { useTexts } from "../shared/language.tsx";
import { Progress } from "../shared/Progress.tsx";
import { sharedTexts } from "../shared/texts.ts";
import { nameTrouble } from "../shared/trouble.ts";
import { useTask } from "../shared/useTask.ts";
import type { AnnouncedWallet } from "../shared/wallets.ts";
import type { DemoConfig } from "./config.ts";
import { demoTexts } from "./texts.ts";
import type { WalletChoice } from "./useWalletChoice.ts";

/** A wallet showed no account. */
class NoAccounts extends Error {}

/** Connects a wallet, and makes sure that it looks at this chain. */
export function WalletPanel({ config, choice }: { config: DemoConfig; choice: WalletChoice }) {
  const { own: texts } = useTexts(demoTexts);
  const shared = useTexts(sharedTexts);
  const { wallets, wallet, accounts, account } = choice;
  const task = useTask((error) =>
    error instanceof NoAccounts ? shared.noAccounts : shared.troubles[nameTrouble(error)],
  );
  const nameOf = ({ name }: AnnouncedWallet) => name || shared.unnamedWallet;
  const connect = (each: AnnouncedWallet) =>
    task.run(async (say) => {
      if (!each.isDevelopment) say(shared.lookAtWallet.connect);
      if (!(await choice.connect(each))) throw new NoAccounts();
    });
  const changeNetwork = () =>
    task.run(async (say) => {
      say(shared.lookAtWallet.network);
      await choice.changeNetwork();
    });
  return (
    <>
      {wallet === undefined ? (
        <>
          <p class="quiet-text">{texts.developmentWhat}</p>
          <div class="choices">
            {wallets.map((each) => (
              <button
                type="button"
                key={each.id}
                class="quiet"
                aria-disabled={task.busy}
                onClick={() => connect(each)}
              >
                {each.isDevelopment ? texts.development : texts.connect(nameOf(each))}
              </button>
            ))}
          </div>
        </>
      ) : (
        <>
          <p>
            {texts.connected(nameOf(wallet))}{" "}
            {wallet.isDevelopment && <span class="tag">{shared.developmentOnly}</span>}
          </p>
          {account !== undefined && accounts.length > 1 && (
            <AccountChoice accounts={accounts} chosen={account} choose={choice.choose} />
          )}
          <p>
            <code class="address">{account}</code>
          </p>
          <div class="choices">
            <button type="button" class="quiet" onClick={choice.disconnect}>
              {texts.another}
            </button>
          </div>
        </>
      )}
      <Progress task={task} />
      <div role="status">
        {choice.isSameChain === false && wallet !== undefined && (
          <p class="notice bad">{texts.otherChain(String(config.chainId), config.rpcUrl)}</p>
        )}
      </div>
      {choice.isSameChain === false && wallet !== undefined && (
        <div class="choices">
          <button type="button" class="quiet" aria-disabled={task.busy} onClick={changeNetwork}>
            {texts.changeNetwork}
          </button>
        </div>
      )}
    </>
  );
}
