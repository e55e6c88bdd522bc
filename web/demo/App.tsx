import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { announceWallet } from "../../wallet/announce.ts";
import { Frame } from "../shared/Frame.tsx";
import { Progress } from "../shared/Progress.tsx";
import { tabMemory } from "../shared/storage.ts";
import { sharedTexts } from "../shared/texts.ts";
import { nameTrouble } from "../shared/trouble.ts";
import { useTask } from "../shared/useTask.ts";
import { knownAccounts } from "../shared/wallets.ts";
import { releaseForgotten } from "./block.ts";
import { CopyBlock } from "./CopyBlock.tsx";
import { connectNode, type DemoNode, findUnused, markUsed, openAnew, readGenesis } from "./chain.ts";
import { endedOtherwise, nameOutcome, type Outcome } from "./claim.ts";
import { type DemoConfig, findUnreached, readConfig, type ServedConfig } from "./config.ts";
import { type Consumer, listEntryPoints, listExamples } from "./consumers.ts";
import { begin, firstRound, type Memory, type Return, readReturn, recall, remember } from "./memory.ts";
import { Opening } from "./Opening.tsx";
import { OwnClaim } from "./OwnClaim.tsx";
import { PolicyDetails } from "./PolicyDetails.tsx";
import { accountOf, accountsOf, countRounds } from "./people.ts";
import type { Scene } from "./scene.ts";
import { Travelled } from "./Travelled.tsx";
import { TryCard } from "./TryCard.tsx";
import { texts } from "./texts.tsx";
import { isStory, more, story, type TryName, tries } from "./tries.ts";
import { type ClaimName, type Run, useRuns } from "./useRuns.ts";

/** The demo: who claims, from which device, what comes of it, and what travels. */
export function App() {
  return (
    <Frame
      {...{ where: texts.where, host: location.host, about: texts.about, privacy: texts.privacy }}
      wayOut={
        <button type="button" class="quiet" onClick={forgetAll}>
          {texts.reset}
        </button>
      }
    >
      <Start />
    </Frame>
  );
}

/** Begins as in a new tab: what this one keeps may be what failed. */
function forgetAll(): void {
  tabMemory.clear();
  location.reload();
}

/** What has to be known before anything can be tried. */
interface Stage {
  readonly config: DemoConfig;
  readonly accounts: readonly string[];
  /** What tells this chain from another. */
  readonly chain: string;
  readonly memory: Memory;
  /** Whether a block was still held back, and has been mined. */
  readonly wasHeld: boolean;
}

/** The browser has this page, and does not reach what else the stack consists of. */
class NotForwarded extends Error {
  readonly config: ServedConfig;
  readonly unreached: readonly string[];

  constructor(config: ServedConfig, unreached: readonly string[]) {
    super();
    this.config = config;
    this.unreached = unreached;
  }
}

async function prepare(): Promise<Stage> {
  const config = await readConfig();
  const node = connectNode(config.rpcUrl);
  const reading = releaseForgotten(node).then(async (wasHeld) => {
    const [chain, accounts] = await Promise.all([readGenesis(node), knownAccounts(node)]);
    return { wasHeld, chain, accounts };
  });
  // Where the node is not reached, that is told.
  reading.catch(() => undefined);
  const unreached = await findUnreached(config);
  if (unreached.length > 0) throw new NotForwarded(config, unreached);
  const { wasHeld, chain, accounts } = await reading;
  const memory = recall(chain) ?? (await beginFresh(node, accounts, firstRound(chain)));
  return { config, accounts, chain, memory, wasHeld };
}

/** Begins where nobody has been: another tab, or a command, may have claimed with the first wallets. */
async function beginFresh(node: DemoNode, accounts: readonly string[], first: number): Promise<Memory> {
  return begin((await findUnusedRound(node, accounts, first)) ?? Math.max(first, 1));
}

/** The first round from this one on whose wallets have claimed nothing, if there is one. */
async function findUnusedRound(
  node: DemoNode,
  accounts: readonly string[],
  from: number,
): Promise<number | undefined> {
  const unused = await findUnused(node, accounts);
  const rounds = Array.from({ length: countRounds(accounts) }, (_, i) => from + i);
  return rounds.find((round) => accountsOf(accounts, round).every((account) => unused.has(account)));
}

function Start() {
  const shared = sharedTexts.en;
  const [stage, setStage] = useState<Stage>();
  const task = useTask((error) =>
    error instanceof NotForwarded
      ? texts.notForwarded.what(error.unreached.join(", "), error.config.demoUrl)
      : shared.troubles[nameTrouble(error)],
  );
  const [failure, setFailure] = useState<{ readonly error: unknown }>();
  const load = () =>
    task.run(async () => {
      try {
        setStage(await prepare());
      } catch (error) {
        setFailure({ error });
        throw error;
      }
    });
  useEffect(() => void load(), []);
  if (stage !== undefined) return <Demo stage={stage} />;
  return (
    <>
      <Opening phone="untried" laptop="untried" identityHash={undefined} />
      <Progress task={{ ...task, progress: task.busy ? texts.loading : undefined }} />
      {failure?.error instanceof NotForwarded && (
        <CopyBlock title={texts.notForwarded.command} text={failure.error.config.forwarding} />
      )}
      {failure && (
        <button type="button" aria-disabled={task.busy} onClick={load}>
          {texts.tryAgain}
        </button>
      )}
    </>
  );
}

// Read once: looking at it takes the state away.
const comingBack = readReturn();

function Demo({ stage }: { stage: Stage }) {
  const { config, chain, wasHeld } = stage;
  const shared = sharedTexts.en;
  const [memory, setMemory] = useState(stage.memory);
  const [cameBack, setCameBack] = useState(comingBack);
  const [wasReset, setWasReset] = useState<"fresh" | "used">();
  useEffect(() => remember(chain, memory), [chain, memory]);
  useEffect(() => void announceWallet({ rpcUrl: config.rpcUrl }), [config]);
  const node = useMemo(() => connectNode(config.rpcUrl), [config]);
  const examples = listExamples({ ...config.consumers, ...memory.opened });
  const own = (config.own ?? []).flatMap(listEntryPoints);
  const consumers = [...own, ...examples];

  const accountFor = (name: TryName) => accountOf(tries[name].device, stage.accounts, memory.round);
  /**
   * A round after the first has contracts of its own. Each is opened when somebody claims there: to look deploys nothing.
   */
  const openOnce = async (consumer: Consumer, isAnew = false): Promise<Consumer> => {
    const { name } = consumer;
    const isMissing = memory.round > 0 && memory.opened[name] === undefined;
    if (!("example" in consumer.is) || !(isAnew || isMissing)) return consumer;
    const opened = await openAnew(node, config, [name]);
    setMemory((before) => ({ ...before, opened: { ...before.opened, ...opened } }));
    return listExamples(opened)[0] ?? consumer;
  };
  const note = (name: ClaimName, outcome: Outcome) => {
    // Not before: the button that was pressed would move.
    if (outcome.kind !== "redirect") setWasReset(undefined);
    if (name === "own") return;
    const isExpected = nameOutcome(outcome) === tries[name].expected;
    // Somebody else's account stays with this wallet, which has sent nothing: no other browser may begin with it.
    if (outcome.kind === "unmet" && !isExpected) void markUsed(node, accountFor(name));
    // To prove an account is not the end of a try.
    if (!isExpected && (outcome.kind === "redirect" || outcome.kind === "trouble")) return;
    setMemory((before) => {
      if (before.tries[name] === "expected") return before;
      const admitted =
        outcome.kind === "admitted" ? { ...before.admitted, [name]: outcome.identityHash } : before.admitted;
      return {
        ...before,
        admitted,
        tries: { ...before.tries, [name]: isExpected ? "expected" : "otherwise" },
      };
    });
  };
  const runs = useRuns(config, node, note);
  const start = (order: Parameters<typeof runs.start>[0]) => {
    setCameBack(undefined);
    return runs.start(order);
  };

  const attempt = (name: TryName, returned?: Return) => {
    const { contract, opensAnew, holds = false } = tries[name];
    const open = async () => {
      const consumer = examples.find((each) => each.name === contract);
      if (consumer === undefined) throw new Error(`There is no ${contract}.`);
      // Whoever comes back from proving the account anew goes on where they were.
      return openOnce(consumer, opensAnew && returned?.code !== "needs_reauth");
    };
    return start({ name, open, account: accountFor(name), wallet: node, holds, back: returned });
  };
  useEffect(() => {
    if (comingBack?.succeeded && comingBack.claim !== "own") void attempt(comingBack.claim, comingBack);
  }, []);

  const resetting = useTask((error) => shared.troubles[nameTrouble(error)]);
  const reset = () =>
    resetting.run(async (say) => {
      say(texts.loading);
      runs.release();
      const unused = await findUnusedRound(node, stage.accounts, memory.round + 1);
      const round = unused ?? memory.round + 1;
      setMemory((before) => ({ ...before, tries: {}, admitted: {}, round, opened: {} }));
      runs.clearAll();
      setCameBack(undefined);
      setWasReset(unused === undefined ? "used" : "fresh");
    });

  const ready = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (wasReset) ready.current?.scrollIntoView({ block: "nearest" });
  }, [wasReset]);

  const isTold = story.every((name) => memory.tries[name] === "expected");
  const next = [...story, ...more].find((name) => memory.tries[name] !== "expected");
  const { run, told } = runs;
  const hasBegun = run !== undefined || Object.keys(memory.tries).length > 0 || resetting.busy;
  // What ended otherwise has the button to start over itself. What has gone well before is only repeated.
  const hasEndedOtherwise = (of: Run | undefined) =>
    of !== undefined &&
    of.name !== "own" &&
    memory.tries[of.name] !== "expected" &&
    endedOtherwise(of.outcome, tries[of.name].expected);
  const shown = [run, told];
  const isOffered = shown.some(hasEndedOtherwise);
  // Whoever has proven the account, and is in, finds the next button under their finger; so does who starts over, as the
  // button that did so may be gone.
  const leadsOn = told?.isReturn === true && told.outcome?.kind === "admitted";
  const card = (name: TryName) => {
    const its = shown.find((each) => each?.name === name);
    return (
      <TryCard
        key={name}
        name={name}
        run={its}
        isNext={name === next && !isOffered}
        takesFocus={(leadsOn || wasReset !== undefined) && name === next && isStory(name)}
        config={config}
        node={node}
        account={accountFor(name)}
        consumer={examples.find((each) => each.name === tries[name].contract)}
        memory={memory}
        runs={runs}
        back={cameBack?.claim === name ? cameBack : undefined}
        start={() => attempt(name)}
        startOver={hasEndedOtherwise(its) ? reset : undefined}
      />
    );
  };
  const scene = (name: TryName, end: Scene): Scene => {
    if (memory.tries[name] === "expected") return end;
    const isUnderWay = shown.some((each) => each?.name === name && each.outcome === undefined);
    return isUnderWay ? "running" : "untried";
  };
  const opening = (
    <Opening
      phone={scene("first", "accepted")}
      laptop={scene("second", "refused")}
      identityHash={memory.admitted.first}
    />
  );
  const toOwn = (
    <p>
      <a href="#own">{texts.own.jump(own.map(({ name }) => name).join(", "))}</a>
    </p>
  );
  const onward = own.length > 0 ? texts.onward.own : texts.onward;
  const program = examples.find(({ name }) => name === tries.first.contract);
  if (examples.length === 0)
    return (
      <>
        {opening}
        <p class="notice bad">{texts.noConsumer}</p>
      </>
    );
  return (
    <>
      {opening}
      <div role="status">{wasHeld && <p class="notice">{texts.released}</p>}</div>
      {own.length > 0 && toOwn}
      <section aria-labelledby="story">
        <h2 id="story" class="unseen">
          {texts.story}
        </h2>
        <div class="said" role="status" ref={ready}>
          {wasReset && <p class="notice">{wasReset === "fresh" ? texts.resetDone : texts.resetUsed}</p>}
        </div>
        <ol class="plain story">{story.map(card)}</ol>
        <div role="status">{isTold && <p class="told">{texts.told}</p>}</div>
      </section>
      <section class={`card onward ${isTold ? "next" : ""}`} aria-labelledby="onward">
        <h2 id="onward">{onward.title}</h2>
        <p>{onward.text}</p>
        {own.length > 0 && toOwn}
        <CopyBlock title={onward.terminal} text={onward.command} isNext={isTold} />
      </section>
      {hasBegun && !isOffered && (
        <div class="again">
          <button type="button" class="quiet" aria-disabled={resetting.busy} onClick={reset}>
            {texts.reset}
          </button>
          <span class="quiet-text">{texts.resetWhat}</span>
        </div>
      )}
      <Progress task={resetting} />
      <details
        class="card developers"
        open={memory.isDeveloping}
        onToggle={({ currentTarget: { open } }) => setMemory((before) => ({ ...before, isDeveloping: open }))}
      >
        <summary>
          <b>{texts.developers.title}</b> <span class="quiet-text">{texts.developers.text}</span>
        </summary>
        <section aria-labelledby="sent">
          <h2 id="sent">{texts.travelled}</h2>
          {told !== undefined && told.steps.length > 0 ? (
            <Travelled steps={told.steps} />
          ) : (
            <p>{texts.developers.nothingSent}</p>
          )}
          {program && <PolicyDetails node={node} consumer={program} />}
        </section>
        <section aria-labelledby="more">
          <h2 id="more">{texts.more}</h2>
          <ul class="plain">{more.map(card)}</ul>
        </section>
        <OwnClaim
          config={config}
          node={node}
          consumers={consumers}
          memory={memory}
          move={(change) => {
            setMemory((before) => ({ ...before, own: { ...before.own, ...change } }));
            // What came of a claim is of that wallet, at that contract.
            if (run?.name === "own" && run.outcome !== undefined) runs.clear();
          }}
          runs={runs}
          open={openOnce}
          begin={start}
          back={cameBack?.claim === "own" ? cameBack : undefined}
        />
      </details>
    </>
  );
}
