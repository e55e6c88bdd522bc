import { AccountChoice } from "../shared/AccountChoice.tsx";
import { Progress } from "../shared/Progress.tsx";
import { sharedTexts } from "../shared/texts.ts";
import { useTask } from "../shared/useTask.ts";
import type { DemoConfig } from "./config.ts";
import { texts } from "./texts.tsx";
import type { WalletChoice } from "./useWalletChoice.ts";

/** Connects a wallet, and makes sure that it looks at this chain. */
export function WalletPanel({ config, choice }: { config: DemoConfig; choice: WalletChoice }) {
  const { unnamedWallet, lookAtWallet, developmentOnly } = sharedTexts.en;
  const { own } = texts;
  const { wallets, wallet, accounts, account } = choice;
  const task = useTask();
  const ask = (what: string | undefined, action: () => Promise<void>) =>
    task.run(async (say) => {
      if (what) say(what);
      await action();
    });
  const isElsewhere = choice.isSameChain === false && wallet !== undefined;
  return (
    <>
      {wallet === undefined ? (
        <>
          <p class="quiet-text">{own.developmentWhat}</p>
          <div class="choices">
            {wallets.map((each) => (
              <button
                type="button"
                key={each.id}
                class="quiet"
                aria-disabled={task.busy}
                onClick={() =>
                  ask(each.isDevelopment ? undefined : lookAtWallet.connect, () => choice.connect(each))
                }
              >
                {each.isDevelopment ? own.development : own.connect(each.name || unnamedWallet)}
              </button>
            ))}
          </div>
        </>
      ) : (
        <>
          <p>
            {own.connected(wallet.name || unnamedWallet)}{" "}
            {wallet.isDevelopment && <span class="tag">{developmentOnly}</span>}
          </p>
          {account !== undefined && accounts.length > 1 && (
            <AccountChoice accounts={accounts} chosen={account} choose={choice.choose} />
          )}
          <p>
            <code class="address">{account}</code>
          </p>
          <div class="choices">
            <button type="button" class="quiet" onClick={choice.disconnect}>
              {own.another}
            </button>
          </div>
        </>
      )}
      <Progress task={task} />
      <div role="status">
        {isElsewhere && <p class="notice bad">{own.otherChain(String(config.chainId), config.rpcUrl)}</p>}
      </div>
      {isElsewhere && (
        <div class="choices">
          <button
            type="button"
            class="quiet"
            aria-disabled={task.busy}
            onClick={() => ask(lookAtWallet.network, choice.changeNetwork)}
          >
            {own.changeNetwork}
          </button>
        </div>
      )}
    </>
  );
}
