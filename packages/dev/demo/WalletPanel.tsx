import { AccountChoice } from "@hardhat-identity/verify-page/shared/AccountChoice.tsx";
import { useTexts } from "@hardhat-identity/verify-page/shared/language.tsx";
import { Progress } from "@hardhat-identity/verify-page/shared/Progress.tsx";
import { sharedTexts } from "@hardhat-identity/verify-page/shared/texts";
import { useTask } from "@hardhat-identity/verify-page/shared/useTask";
import { demoTexts } from "./texts.ts";
import type { useWallet } from "./useWallet.ts";

/**
 * Connects a wallet, and shows which one is.
 *
 * @param props.owners The names of the accounts' owners in the story.
 */
export function WalletPanel(props: {
  choice: ReturnType<typeof useWallet>;
  owners: ReadonlyMap<string, string>;
}) {
  const { choice, owners } = props;
  const texts = useTexts(demoTexts);
  const { unnamedWallet, lookAtWallet, developmentOnly, developmentWallet } = useTexts(sharedTexts);
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
        {own.connected(wallet.isDevelopment ? developmentWallet : wallet.name || unnamedWallet)}{" "}
        {wallet.isDevelopment && <span class="tag">{developmentOnly}</span>}{" "}
        <button type="button" class="link" onClick={choice.disconnect}>
          {own.another}
        </button>
      </p>
      {account !== undefined && accounts.length > 1 && (
        <AccountChoice
          accounts={accounts}
          isDevelopment={wallet.isDevelopment}
          owners={owners}
          chosen={account}
          choose={choice.choose}
        />
      )}
      <code class="address chosen">{account}</code>
    </>
  );
}
