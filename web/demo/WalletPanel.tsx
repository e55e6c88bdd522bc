import { AccountChoice } from "../shared/AccountChoice.tsx";
import { Progress } from "../shared/Progress.tsx";
import { sharedTexts } from "../shared/texts.ts";
import { useTask } from "../shared/useTask.ts";
import type { AnnouncedWallet } from "../shared/wallets.ts";
import type { DemoConfig } from "./config.ts";
import { texts } from "./texts.tsx";
import type { WalletChoice } from "./useWalletChoice.ts";

/** Connects a wallet, and makes sure that it looks at this chain. */
export function WalletPanel({ config, choice }: { config: DemoConfig; choice: WalletChoice }) {
  const shared = sharedTexts.en;
  const { wallets, wallet, accounts, account } = choice;
  const task = useTask();
  const nameOf = ({ name }: AnnouncedWallet) => name || shared.unnamedWallet;
  const connect = (each: AnnouncedWallet) =>
    task.run(async (say) => {
      if (!each.isDevelopment) say(shared.lookAtWallet.connect);
      await choice.connect(each);
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
          <p class="quiet-text">{texts.own.developmentWhat}</p>
          <div class="choices">
            {wallets.map((each) => (
              <button
                type="button"
                key={each.id}
                class="quiet"
                aria-disabled={task.busy}
                onClick={() => connect(each)}
              >
                {each.isDevelopment ? texts.own.development : texts.own.connect(nameOf(each))}
              </button>
            ))}
          </div>
        </>
      ) : (
        <>
          <p>
            {texts.own.connected(nameOf(wallet))}{" "}
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
              {texts.own.another}
            </button>
          </div>
        </>
      )}
      <Progress task={task} />
      <div role="status">
        {choice.isSameChain === false && wallet !== undefined && (
          <p class="notice bad">{texts.own.otherChain(String(config.chainId), config.rpcUrl)}</p>
        )}
      </div>
      {choice.isSameChain === false && wallet !== undefined && (
        <div class="choices">
          <button type="button" class="quiet" aria-disabled={task.busy} onClick={changeNetwork}>
            {texts.own.changeNetwork}
          </button>
        </div>
      )}
    </>
  );
}
