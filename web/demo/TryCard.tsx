import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { useTexts } from "../shared/language.tsx";
import { shortenAddress } from "../shared/words.ts";
import type { DemoConfig } from "./config.ts";
import type { Consumer } from "./consumers.ts";
import { DeviceIcon } from "./DeviceIcon.tsx";
import type { Memory, Return } from "./memory.ts";
import { PolicyDetails } from "./PolicyDetails.tsx";
import { devices } from "./people.ts";
import { RunView } from "./RunView.tsx";
import { demoTexts } from "./texts.ts";
import { type TryName, tries } from "./tries.ts";
import { asksPerson, type Runs } from "./useRuns.ts";

/** One thing to try: who does it and from where, how it went, and right under the button what came of it. */
export function TryCard(props: {
  name: TryName;
  /** Whether it is the one that comes next. */
  isNext: boolean;
  config: DemoConfig;
  node: Eip1193Connection;
  account: string;
  consumer: Consumer | undefined;
  memory: Memory;
  runs: Runs;
  back: Return | undefined;
  start: () => void;
}) {
  const { name, isNext, node, account, consumer, memory, runs, back, start } = props;
  const texts = useTexts(demoTexts);
  const words = texts.tries[name];
  const { device, contract, after, expected } = tries[name];
  const run = runs.run?.name === name ? runs.run : undefined;
  const isBusy = run !== undefined && run.outcome === undefined;
  const ended = memory.tries[name];
  const state = isBusy || run?.outcome?.kind === "redirect" ? "running" : (ended ?? "untried");
  const provider = providers[contract];
  const isEarly = after !== undefined && memory.tries[after] !== "expected" && ended === undefined;
  if (consumer === undefined) return null;
  return (
    <li class={`card try ${ended === "expected" ? "done" : ""}`}>
      <div class="who">
        <DeviceIcon kind={devices[device].kind} />
        <h3>
          {words.title}
          <span class="quiet-text">
            {texts.devices[device]} · <code>{shortenAddress(account)}</code>
          </span>
        </h3>
        <span class={`state ${ended === "expected" ? "expected" : state}`}>
          {texts.states[ended === "expected" ? "expected" : state]}
        </span>
      </div>
      <p>{words.text}</p>
      {provider !== undefined && (
        <p class="quiet-text">{texts.needsOther(texts.accounts[provider] ?? provider)}</p>
      )}
      {isEarly && after !== undefined && (
        <p class="quiet-text">{texts.afterwards(texts.tries[after].title)}</p>
      )}
      <button
        type="button"
        class={isNext && !asksPerson(run) ? "" : "quiet"}
        aria-disabled={runs.isBusy}
        onClick={start}
      >
        {words.action}
      </button>
      {run === undefined && back === undefined && ended === "expected" && <Ended expected={expected} />}
      <RunView
        run={run}
        back={back}
        claim={name}
        person={texts.people[devices[device].person]}
        account={account}
        expected={expected}
        should={words.should}
        release={runs.release}
      />
      <PolicyDetails node={node} consumer={consumer} />
    </li>
  );
}

/** How a try ended that another one has followed, in a line. */
function Ended({ expected }: { expected: string }) {
  const { outcomes } = useTexts(demoTexts);
  const others: Readonly<Record<string, string>> = {
    admitted: outcomes.admitted,
    conditions_not_satisfied: outcomes.unmet,
    needs_reauth: outcomes.tooOld,
  };
  return (
    <p class={`ended ${expected === "admitted" ? "good" : "bad"}`}>
      {others[expected] ?? outcomes.reverted(expected)}
    </p>
  );
}

/** Contract → the provider whose account it asks for, where that is not the one of the story. */
const providers: Readonly<Record<string, string>> = {
  MembershipPass: "exchange",
  Ballot: "short_video",
  VerifiedVault: "photo_social",
};
