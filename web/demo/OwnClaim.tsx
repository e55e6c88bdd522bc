import { useEffect, useRef, useState } from "preact/hooks";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { minesAtOnce } from "./block.ts";
import type { DemoConfig } from "./config.ts";
import type { Consumer } from "./consumers.ts";
import type { Memory, OwnChoice, Return } from "./memory.ts";
import { PolicyDetails } from "./PolicyDetails.tsx";
import { RunView } from "./RunView.tsx";
import { texts } from "./texts.tsx";
import { asksPerson, type Order, type Runs } from "./useRuns.ts";
import { useWalletChoice } from "./useWalletChoice.ts";
import { WalletPanel } from "./WalletPanel.tsx";

/** A claim with any wallet, at any contract: for developers, whose own contracts are among them. */
export function OwnClaim(props: {
  config: DemoConfig;
  node: Eip1193Connection;
  consumers: readonly Consumer[];
  memory: Memory;
  move: (change: OwnChoice) => void;
  runs: Runs;
  /** Opens an example for this round, where it has not been yet. */
  open: (consumer: Consumer) => Promise<Consumer>;
  begin: (order: Order) => Promise<void>;
  back: Return | undefined;
}) {
  const { config, node, consumers, memory, move, runs, open, begin, back } = props;
  const choice = useWalletChoice(config, node, memory.own, move);
  const [canHold, setCanHold] = useState(false);
  const [holds, setHolds] = useState(false);
  useEffect(() => void minesAtOnce(node).then(setCanHold), [node]);

  const consumer = consumers.find(({ name }) => name === memory.own.consumer) ?? consumers[0];
  const { wallet, account } = choice;
  const isReady = wallet !== undefined && account !== undefined && choice.isSameChain === true;
  const run = runs.run?.name === "own" ? runs.run : undefined;
  const { isBusy } = runs;
  const start = (returned?: Return) => {
    if (!isReady || consumer === undefined) return;
    const holdsNow = holds && canHold && !consumer.takesToken;
    void begin({
      ...{ name: "own", open: () => open(consumer), account, wallet: wallet.connection },
      ...{ holds: holdsNow, back: returned },
    });
  };
  // Whoever has proven the account goes on as soon as the wallet is there again.
  const goesOn = useRef(back?.succeeded === true);
  useEffect(() => {
    if (!isReady || !goesOn.current) return;
    goesOn.current = false;
    start(back);
  }, [isReady]);

  if (consumer === undefined) return null;
  const words =
    "example" in consumer.is
      ? { purpose: texts.own.purposes[consumer.is.example], action: texts.own.actions[consumer.is.example] }
      : {
          purpose: texts.own.purpose(consumer.is.entryPoint),
          action: texts.own.call(consumer.is.entryPoint),
        };
  return (
    <section aria-labelledby="own">
      <h2 id="own">{texts.own.title}</h2>
      <p>{texts.own.text}</p>
      <div class="card">
        <WalletPanel config={config} choice={choice} />
        <p class="choices">
          <label for="consumer">{texts.policy.contract}</label>
          <select
            id="consumer"
            value={consumer.name}
            onChange={({ currentTarget }) => move({ consumer: currentTarget.value })}
          >
            {consumers.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </p>
        <p>{words.purpose}</p>
        {canHold && !consumer.takesToken && (
          <label class="check">
            <input
              type="checkbox"
              checked={holds}
              disabled={isBusy}
              onChange={({ currentTarget }) => setHolds(currentTarget.checked)}
            />
            <span>{texts.own.hold}</span>
          </label>
        )}
        {wallet === undefined && <p>{texts.own.connectFirst}</p>}
        <button
          type="button"
          class={asksPerson(run) ? "quiet" : ""}
          disabled={!isReady}
          aria-disabled={isBusy}
          onClick={() => start()}
        >
          {words.action}
        </button>
        <RunView run={run} back={back} claim="own" account={account} release={runs.release} />
        <PolicyDetails node={node} consumer={consumer} />
      </div>
    </section>
  );
}
