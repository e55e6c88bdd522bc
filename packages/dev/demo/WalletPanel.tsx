import { AccountChoice } from "@hardhat-identity/verify-page/shared/AccountChoice.tsx";
import { Progress } from "@hardhat-identity/verify-page/shared/Progress.tsx";
import { sharedTexts } from "@hardhat-identity/verify-page/shared/texts";
import { useTask } from "@hardhat-identity/verify-page/shared/useTask";
import { texts } from "./texts.tsx";
import type { useWallet } from "./useWallet.ts";

/** Connects a wallet, and shows which one is. */
export function WalletPanel({ choice }: { choice: ReturnType<typeof useWallet> }) {
  const { unnamedWallet, lookAtWallet, developmentOnly } = sharedTexts.en;
  const { own } = texts;
  const { wallets, wallet, accounts, account } = choice;
  const task = useTask();
  if (wallet === undefined)
    return (
      <>
        <p class="quiet-text">{own.developmentWhat}</p>
        <div class="choices">
          {wallets.map((each) => (
            <button
              type="button"
              key={each.id}
              class="quiet"
              onClick={() =>
                task.restart(async (say, signal) => {
                  if (!each.isDevelopment) say(lookAtWallet.connect);
                  await choice.connect(each, signal);
                })
              }
            >
              {each.isDevelopment ? own.development : own.connect(each.name || unnamedWallet)}
            </button>
          ))}
        </div>
        <Progress task={task} />
      </>
    );
  return (
    <>
      <p>
        {own.connected(wallet.name || unnamedWallet)}{" "}
        {wallet.isDevelopment && <span class="tag">{developmentOnly}</span>}{" "}
        <button type="button" class="link" onClick={choice.disconnect}>
          {own.another}
        </button>
      </p>
      {account !== undefined && accounts.length > 1 && (
        <AccountChoice accounts={accounts} chosen={account} choose={choice.choose} />
      )}
      <code class="address chosen">{account}</code>
    </>
  );
}
