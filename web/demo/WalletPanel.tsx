import { AccountChoice } from "../shared/AccountChoice.tsx";
import { useTask } from "../shared/useTask.ts";
import { isRefusal } from "../shared/wallets.ts";
import type { DemoConfig } from "./config.ts";
import type { WalletChoice } from "./useWalletChoice.ts";

/** Connects a wallet, and makes sure that it looks at this chain. */
export function WalletPanel({ config, choice }: { config: DemoConfig; choice: WalletChoice }) {
  const { wallets, wallet, accounts, account } = choice;
  const task = useTask((error) =>
    isRefusal(error)
      ? "The wallet refused. Try again when you like."
      : "The wallet did not answer as it should.",
  );
  return (
    <section aria-labelledby="wallet">
      <h2 id="wallet">1. A wallet</h2>
      {wallet === undefined ? (
        <>
          <p>
            The development wallet has the local chain's accounts and asks nothing, so that no extension is
            needed. Its keys are known to everybody.
          </p>
          <div class="choices">
            {wallets.map((each) => (
              <button
                type="button"
                key={each.id}
                class={each.isDevelopment ? "" : "quiet"}
                disabled={task.busy}
                onClick={() => task.run(() => choice.connect(each))}
              >
                {each.isDevelopment ? "Use the development wallet" : `Connect ${each.name}`}
              </button>
            ))}
          </div>
        </>
      ) : (
        <>
          <p>
            {wallet.name} {wallet.isDevelopment && <span class="tag">for development only</span>} is
            connected.
          </p>
          {account !== undefined && accounts.length > 1 && (
            <AccountChoice accounts={accounts} chosen={account} choose={choice.choose} />
          )}
          <p>
            <code>{account}</code>
          </p>
          <div class="choices">
            <button type="button" class="quiet" onClick={choice.disconnect}>
              Use another wallet
            </button>
          </div>
        </>
      )}
      <div role="status">
        {task.problem && <p class="notice bad">{task.problem}</p>}
        {choice.isSameChain === false && (
          <p class="notice bad">
            This wallet looks at another chain. It may well say {config.chainId}: that is the number of a
            public chain, too. Give it the address <code>{config.rpcUrl}</code> for this chain, or use the
            development wallet.
          </p>
        )}
      </div>
    </section>
  );
}
