import { useEffect, useState } from "preact/hooks";
import type { Acts } from "./acts.ts";
import { minesAtOnce } from "./block.ts";
import type { DemoNode } from "./chain.ts";
import type { DemoConfig } from "./config.ts";
import type { Consumer } from "./consumers.ts";
import { Log } from "./Log.tsx";
import { PolicyDetails } from "./PolicyDetails.tsx";
import { Result } from "./Result.tsx";
import { asksPerson, type Demo, isBusy } from "./state.ts";
import { texts } from "./texts.tsx";
import { useWalletChoice } from "./useWalletChoice.ts";
import { WalletPanel } from "./WalletPanel.tsx";

/** A claim with any wallet, at any contract: for developers, whose own contracts are among them. */
export function OwnClaim(props: {
  config: DemoConfig;
  node: DemoNode;
  consumers: readonly Consumer[];
  demo: Demo;
  acts: Acts;
}) {
  const { config, node, consumers, demo, acts } = props;
  const choice = useWalletChoice(config, node, demo.own, acts.choose);
  const [canHold, setCanHold] = useState(false);
  const [holds, setHolds] = useState(false);
  useEffect(() => void minesAtOnce(node).then(setCanHold), [node]);

  const consumer = consumers.find(({ name }) => name === demo.own.consumer) ?? consumers[0];
  const { wallet, account } = choice;
  const isReady = wallet !== undefined && account !== undefined && choice.isSameChain === true;
  const phase = demo.claims.own;
  const start = () => {
    if (!isReady || consumer === undefined) return;
    const isHeld = holds && canHold && !consumer.takesToken;
    void acts.claimOwn({ consumer, account, wallet: wallet.connection, holds: isHeld });
  };
  // Whoever has proven the account goes on as soon as the wallet is there again.
  useEffect(() => {
    if (isReady && phase?.name === "proven") start();
  }, [isReady]);

  if (consumer === undefined) return null;
  const { own } = texts;
  const { is } = consumer;
  const [purpose, action] =
    "example" in is ? own.examples[is.example] : [own.purpose(is.entryPoint), own.call(is.entryPoint)];
  return (
    <section aria-labelledby="own">
      <h2 id="own">{own.title}</h2>
      <p>{own.text}</p>
      <div class="card">
        <WalletPanel config={config} choice={choice} />
        <p class="choices">
          <label for="consumer">{texts.policy.contract}</label>
          <select
            id="consumer"
            value={consumer.name}
            onChange={({ currentTarget }) => acts.choose({ consumer: currentTarget.value })}
          >
            {consumers.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </p>
        <p>{purpose}</p>
        {canHold && !consumer.takesToken && (
          <label class="check">
            <input
              type="checkbox"
              checked={holds}
              disabled={isBusy(demo)}
              onChange={({ currentTarget }) => setHolds(currentTarget.checked)}
            />
            <span>{own.hold}</span>
          </label>
        )}
        {wallet === undefined && <p>{own.connectFirst}</p>}
        <button
          type="button"
          class={asksPerson(phase) ? "quiet" : ""}
          disabled={!isReady}
          aria-disabled={isBusy(demo)}
          onClick={start}
        >
          {action}
        </button>
        <Result name="own" {...{ phase, demo, acts }} />
        {phase && phase.steps.length > 0 && <Log steps={phase.steps} />}
        <PolicyDetails node={node} consumer={consumer} />
      </div>
    </section>
  );
}
