import { useEffect, useRef, useState } from "preact/hooks";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { useTexts } from "../shared/language.tsx";
import { minesAtOnce } from "./block.ts";
import type { DemoConfig } from "./config.ts";
import type { Consumer } from "./consumers.ts";
import type { Memory, OwnChoice, Return } from "./memory.ts";
import { PolicyDetails } from "./PolicyDetails.tsx";
import { RunView } from "./RunView.tsx";
import { demoTexts } from "./texts.ts";
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
  begin: (order: Order) => Promise<void>;
  back: Return | undefined;
}) {
  const { config, node, consumers, memory, move, runs, begin, back } = props;
  const { own: texts, policy } = useTexts(demoTexts);
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
      ...{ name: "own", open: async () => consumer, account, wallet: wallet.connection },
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
      ? { purpose: texts.purposes[consumer.is.example], action: texts.actions[consumer.is.example] }
      : {
          purpose: texts.purpose(consumer.is.entryPoint),
          action: texts.call(consumer.is.entryPoint),
        };
  return (
    <section aria-labelledby="own">
      <h2 id="own">{texts.title}</h2>
      <p>{texts.text}</p>
      <div class="card">
        <WalletPanel config={config} choice={choice} />
        <p class="choices">
          <label for="consumer">{policy.contract}</label>
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
            <span>{texts.hold}</span>
          </label>
        )}
        {wallet === undefined && <p>{texts.connectFirst}</p>}
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
