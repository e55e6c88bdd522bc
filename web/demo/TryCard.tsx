import { useEffect, useRef } from "preact/hooks";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { shortenAddress } from "../shared/words.ts";
import type { DemoConfig } from "./config.ts";
import type { Consumer } from "./consumers.ts";
import { DeviceIcon } from "./DeviceIcon.tsx";
import type { Memory, Return } from "./memory.ts";
import { PolicyDetails } from "./PolicyDetails.tsx";
import { devices } from "./people.ts";
import { RunView, type WalletIdentity } from "./RunView.tsx";
import { texts } from "./texts.tsx";
import { isStory, type TryName, tries } from "./tries.ts";
import { asksPerson, type Run, type Runs } from "./useRuns.ts";

/** One thing to try: who does it and from where, how it went, and what came of it. */
export function TryCard(props: {
  name: TryName;
  /** What was last shown of it. */
  run: Run | undefined;
  /** Whether it is the one that comes next. */
  isNext: boolean;
  /** Whether the one before has just come to its end, so that the focus goes on here. */
  takesFocus: boolean;
  config: DemoConfig;
  node: Eip1193Connection;
  account: string;
  consumer: Consumer | undefined;
  memory: Memory;
  runs: Runs;
  back: Return | undefined;
  start: () => void;
  /** Begins anew, where what came of it should have been something else. */
  startOver: (() => void) | undefined;
}) {
  const { name, run, isNext, takesFocus, node, account, consumer, memory, runs, back, start, startOver } =
    props;
  const words = texts.tries[name];
  const { device, contract, after, expected } = tries[name];
  const isBusy = run !== undefined && run.outcome === undefined;
  const ended = memory.tries[name];
  const hasFailed = run?.outcome?.kind === "trouble" || run?.outcome?.kind === "failed";
  const isUnderWay = isBusy || run?.outcome?.kind === "redirect";
  // What has been shown stays shown, unless it just failed.
  const known = hasFailed ? "untried" : ended;
  const state = known === "expected" ? known : isUnderWay ? "running" : (known ?? "untried");
  const end = run?.outcome?.kind === "admitted" ? "admitted" : expected;
  const said = state === "expected" ? (ends[end] ?? "reverted") : state;
  const provider = providers[contract];
  const person = texts.people[devices[device].person];
  const isEarly = after !== undefined && memory.tries[after] !== "expected" && ended === undefined;
  const reason = `${name}-early`;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!takesFocus) return;
    button.current?.focus({ preventScroll: true });
    button.current?.scrollIntoView({ block: "nearest" });
  }, [takesFocus]);
  if (consumer === undefined) return null;
  const isOfStory = isStory(name);
  const came = (
    <RunView
      run={run}
      back={back}
      claim={name}
      isStory={isOfStory}
      person={person}
      admitted={words.admitted}
      asked={texts.accounts[provider ?? "microblog"]}
      wallet={texts.devices[device]}
      account={account}
      expected={expected}
      should={words.should}
      before={after && describeBefore(after, memory)}
      release={runs.release}
      startOver={startOver}
    />
  );
  return (
    <li class="try">
      <div class="card">
        <div class="who">
          <DeviceIcon kind={devices[device].kind} />
          <h3>
            {words.title}
            <span class="quiet-text">
              {texts.devices[device]} · <code>{shortenAddress(account)}</code>
            </span>
          </h3>
          <span class={`state ${said}`}>{texts.states[said]}</span>
        </div>
        <p>{words.text}</p>
        {provider !== undefined && ended === undefined && (
          <p class="quiet-text">{texts.needsOther(texts.accounts[provider] ?? provider)}</p>
        )}
        {after !== undefined && (
          <p class={`quiet-text ${isEarly ? "" : "past"}`} id={reason}>
            {texts.afterwards(texts.tries[after].title)}
          </p>
        )}
        <button
          type="button"
          class={isNext && !asksPerson(runs.run) ? "" : "quiet"}
          ref={button}
          aria-disabled={runs.isBusy || isEarly}
          aria-describedby={isEarly ? reason : undefined}
          onClick={isEarly ? undefined : start}
        >
          {words.action}
        </button>
        {!isOfStory && came}
        {!isOfStory && <PolicyDetails node={node} consumer={consumer} />}
      </div>
      {isOfStory && came}
    </li>
  );
}

/** The wallet that was let in before, and as whom the contract knows it. */
function describeBefore(name: TryName, { admitted }: Memory): WalletIdentity | undefined {
  const identityHash = admitted[name];
  if (identityHash === undefined) return undefined;
  return { wallet: texts.devices[tries[name].device], identityHash };
}

/** The outcome of a try that went as it should → what its card says, where the contract did not refuse. */
const ends: Readonly<Record<string, "accepted" | "unsigned">> = {
  admitted: "accepted",
  conditions_not_satisfied: "unsigned",
  needs_reauth: "unsigned",
};

/** Contract → the provider whose account it asks for, where that is not the one of the story. */
const providers: Readonly<Record<string, string>> = {
  MembershipPass: "exchange",
  Ballot: "short_video",
  VerifiedVault: "photo_social",
};
