import { useEffect, useRef, useState } from "preact/hooks";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { minesAtOnce } from "./chain.ts";
import { claim, type Outcome, type Step } from "./claim.ts";
import type { DemoConfig } from "./config.ts";
import type { Consumer } from "./consumers.ts";
import { leaveFor } from "./place.ts";
import type { WalletChoice } from "./useWalletChoice.ts";

/** The claim, step by step, with what travels in each. */
export function ClaimPanel(props: {
  config: DemoConfig;
  node: Eip1193Connection;
  consumer: Consumer;
  choice: WalletChoice;
}) {
  const { config, node, consumer, choice } = props;
  const { wallet, account } = choice;
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const [outcome, setOutcome] = useState<Outcome>();
  const [busy, setBusy] = useState(false);
  const [canHold, setCanHold] = useState(false);
  const [holds, setHolds] = useState(false);
  const mine = useRef<(() => void) | undefined>(undefined);
  const [waits, setWaits] = useState(false);
  useEffect(() => void minesAtOnce(node).then(setCanHold), [node]);

  const holdBlock = async () => {
    setWaits(true);
    await new Promise<void>((resolve) => {
      mine.current = resolve;
    });
    setWaits(false);
  };
  const run = async () => {
    if (wallet === undefined || account === undefined) return;
    setBusy(true);
    setSteps([]);
    setOutcome(undefined);
    const isHeld = holds && canHold && !consumer.takesToken;
    setOutcome(
      await claim({
        config,
        consumer,
        account,
        wallet: wallet.connection,
        onStep: (step) => setSteps((before) => [...before, step]),
        ...(isHeld ? { holdBlock } : {}),
      }),
    );
    setBusy(false);
  };

  const isReady = wallet !== undefined && choice.isSameChain === true;
  return (
    <section aria-labelledby="claim">
      <h2 id="claim">3. The claim</h2>
      {!isReady && <p>Connect a wallet first.</p>}
      {canHold && !consumer.takesToken && (
        <label class="check">
          <input
            type="checkbox"
            checked={holds}
            disabled={busy}
            onChange={({ currentTarget }) => setHolds(currentTarget.checked)}
          />
          <span>Hold the block back, to see the identity at pending before it is mined</span>
        </label>
      )}
      <div class="choices">
        <button type="button" disabled={!isReady || busy} onClick={run}>
          {consumer.action}
        </button>
        {waits && (
          <button type="button" onClick={() => mine.current?.()}>
            Mine the block
          </button>
        )}
      </div>
      <ol class="log" aria-label="What travelled" aria-live="polite">
        {steps.map((step, i) => (
          <li key={`${i} ${step.title}`}>
            <p>
              <b>{step.title}</b>
            </p>
            <p>{step.text}</p>
            {step.payload && (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach that.
              <pre tabIndex={0}>{step.payload}</pre>
            )}
          </li>
        ))}
      </ol>
      <div role="status">{outcome && <Ending outcome={outcome} account={account} />}</div>
    </section>
  );
}

function Ending({ outcome, account }: { outcome: Outcome; account: string | undefined }) {
  switch (outcome.kind) {
    case "admitted":
      return (
        <div class="notice good">
          <p>
            <b>In.</b> All that the contract knows of the person:
          </p>
          <p>
            <code>{outcome.identityHash}</code>
          </p>
        </div>
      );
    case "redirect":
      return (
        <div class="notice">
          <p>
            <b>
              {outcome.code === "needs_reauth"
                ? "The account was proven too long ago for this contract."
                : "The service knows no such account of this wallet."}
            </b>{" "}
            The app sends its user to the verify page, which sends them back.
          </p>
          <p>
            Choose the same account there: <code>{account}</code>
          </p>
          <button type="button" onClick={() => location.assign(leaveFor(outcome.verifyUrl))}>
            {outcome.code === "needs_reauth" ? "Prove the account again" : "Prove an account"}
          </button>
        </div>
      );
    case "refused":
      return (
        <div class="notice bad">
          <p>
            <b>{outcome.title}</b>
          </p>
          <p>{outcome.text}</p>
        </div>
      );
  }
}
