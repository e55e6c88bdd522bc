import { useTexts } from "@hardhat-identity/verify-page/shared/language.tsx";
import { useEffect } from "preact/hooks";
import type { Acts } from "./acts.ts";
import type { Consumer } from "./consumers.ts";
import { Log } from "./Log.tsx";
import { PolicyLine } from "./PolicyLine.tsx";
import type { Prepared } from "./prepare.ts";
import { Result } from "./Result.tsx";
import { type Demo, isBusy } from "./state.ts";
import { storyNames, walletsOf } from "./story.ts";
import { demoTexts } from "./texts.ts";
import { useWallet } from "./useWallet.ts";
import { WalletPanel } from "./WalletPanel.tsx";

/** A claim with any wallet, at any contract: for developers, whose own contracts are among them. */
export function OwnClaim(props: {
  prepared: Prepared;
  consumers: readonly Consumer[];
  demo: Demo;
  acts: Acts;
}) {
  const { prepared, consumers, demo, acts } = props;
  const texts = useTexts(demoTexts);
  const choice = useWallet(demo.own, acts.choose);
  const { wallet, account } = choice;
  const consumer = consumers.find(({ name }) => name === demo.own.consumer) ?? consumers[0];
  const phase = demo.claims.own;
  const start = () => {
    if (wallet && account && consumer) void acts.claimOwn(consumer, account, wallet.connection);
  };
  // After a proof, the claim goes on as soon as the wallet is there again.
  useEffect(() => {
    if (phase?.name === "proven") start();
  }, [wallet]);

  if (consumer === undefined) return null;
  const { own } = texts;
  const { is } = consumer;
  const wallets = walletsOf(prepared.accounts, demo.round, demo.film !== "none");
  const owners = new Map(storyNames.map((name) => [wallets[name], texts.devices[name]]));
  const [purpose, action] =
    "example" in is ? own.examples[is.example] : [own.purpose(is.entryPoint), own.call(is.entryPoint)];
  return (
    <section aria-labelledby="own">
      <h2 id="own">{own.title}</h2>
      <p>{own.text}</p>
      <div class="card">
        <WalletPanel choice={choice} owners={owners} />
        <p class="choices">
          <label for="consumer">{own.contract}</label>
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
        <PolicyLine key={consumer.address} node={prepared.node} consumer={consumer.address} />
        {wallet === undefined && <p>{own.connectFirst}</p>}
        <button
          type="button"
          class={phase?.name === "proving" ? "quiet" : ""}
          aria-disabled={wallet === undefined || isBusy(demo)}
          onClick={start}
        >
          {action}
        </button>
        <Result name="own" phase={phase} demo={demo} acts={acts} />
        {phase && phase.steps.length > 0 && <Log steps={phase.steps} />}
      </div>
    </section>
  );
}
