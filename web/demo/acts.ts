import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { nameTrouble } from "../shared/trouble.ts";
import { markUsed, openAnew } from "./chain.ts";
import { claim, nameOutcome, type Outcome } from "./claim.ts";
import { type Consumer, listExamples } from "./consumers.ts";
import { remember } from "./memory.ts";
import { findUnusedRound, type Prepared } from "./prepare.ts";
import { type Action, type ClaimName, type Demo, isBusy, type OwnChoice, reduce } from "./state.ts";
import { type StoryName, story, storyContract, storyNames, walletsOf } from "./story.ts";

/** A claim to go through. */
interface Order {
  readonly claim: ClaimName;
  /** The consumer, which may have to be opened first. */
  readonly open: () => Promise<Consumer>;
  readonly account: string;
  readonly wallet: Eip1193Connection;
  /** Whether the block is held back. */
  readonly holds?: boolean;
}

/** What a person can do. */
export interface Acts {
  claim(name: StoryName): Promise<void>;
  claimOwn(order: Omit<Order, "claim" | "open"> & { readonly consumer: Consumer }): Promise<void>;
  /** Leaves for the verify page. */
  prove(name: ClaimName): void;
  /** Comes back from there, by the browser's Back. */
  comeBack(): void;
  /** Goes on with a claim of the story for which an account has been proven meanwhile. */
  goOn(): void;
  /** Has the block mined that a claim waits for, if one does. */
  release(): void;
  startOver(): Promise<void>;
  /** Goes through the story by itself, with real claims. */
  play(): Promise<void>;
  stop(): void;
  choose(change: OwnChoice): void;
  develop(isOpen: boolean): void;
}

/** Milliseconds in which each claim of a story that plays by itself can be read. */
const pauseMs = 2_500;

/** @param show Told of the demo after each change. */
export function createActs(prepared: Prepared, show: (demo: Demo) => void): Acts {
  const { config, node, accounts, chain } = prepared;
  let { demo } = prepared;
  let running: Promise<unknown> | undefined;
  let letGo: (() => void) | undefined;
  let film = new AbortController();
  // How the person came back is told once.
  remember(chain, demo);
  const dispatch = (action: Action): void => {
    demo = reduce(demo, action);
    remember(chain, demo);
    show(demo);
  };

  async function go({ claim: name, open, account, wallet, holds = false }: Order): Promise<Outcome> {
    dispatch({ type: "begin", claim: name });
    let before = performance.now();
    let outcome: Outcome;
    try {
      outcome = await claim({
        ...{ config, node, account, wallet, holds },
        consumer: await open(),
        onStep(step) {
          const ms = Math.round(performance.now() - before);
          before += ms;
          dispatch({ type: "step", claim: name, step: { ...step, ms } });
        },
        onWait: (wait) => dispatch({ type: "wait", claim: name, wait }),
        untilMined: () =>
          new Promise((resolve) => {
            letGo = resolve;
          }),
      });
    } catch (error) {
      const trouble = nameTrouble(error);
      const failed = { kind: "failed", code: "", text: String(error) } as const;
      outcome = trouble === "page" ? failed : { kind: "trouble", trouble };
    }
    letGo = undefined;
    dispatch({ type: "end", claim: name, outcome });
    return outcome;
  }

  /** Whoever begins another claim lets go of a block that is held back; nobody overtakes a wallet or the service. */
  async function begin(order: Order): Promise<Outcome | undefined> {
    if (running !== undefined) {
      if (letGo === undefined) return;
      letGo();
      await running;
    }
    const run = go(order).finally(() => {
      running = undefined;
    });
    running = run;
    return run;
  }

  /** A round after the first has contracts of its own. Each is opened when somebody claims there: to look deploys nothing. */
  async function open(consumer: Consumer, isAnew = false): Promise<Consumer> {
    const isMissing = demo.round > 0 && demo.opened[consumer.name] === undefined;
    if (!("example" in consumer.is) || !(isAnew || isMissing)) return consumer;
    const opened = await openAnew(node, config, consumer.name);
    dispatch({ type: "open", opened });
    return listExamples(opened)[0] ?? consumer;
  }

  async function openStory(isAnew = false): Promise<Consumer> {
    const consumers = listExamples({ ...config.consumers, ...demo.opened });
    const consumer = consumers.find(({ name }) => name === storyContract);
    if (consumer === undefined) throw new Error(`There is no ${storyContract}.`);
    return open(consumer, isAnew);
  }

  function prove(name: ClaimName): void {
    const phase = demo.claims[name];
    if (phase?.name !== "proving") return;
    const state = crypto.getRandomValues(new Uint32Array(4)).join("-");
    dispatch({ type: "leave", claim: name, state });
    const url = new URL(phase.outcome.verifyUrl);
    url.searchParams.set("state", state);
    location.assign(url.href);
  }

  async function claimInStory(name: StoryName): Promise<void> {
    const account = walletsOf(accounts, demo.round, demo.film !== "none")[name];
    const isReturn = demo.claims[name]?.name === "proven";
    const outcome = await begin({ claim: name, open: () => openStory(), account, wallet: node });
    // Whoever has been there for nothing is not sent there again unasked.
    if (outcome?.kind === "redirect" && !isReturn) prove(name);
    // Somebody else's account stays with this wallet, which has sent nothing: no other browser may begin with it.
    if (outcome?.kind === "unmet" && story[name].expected !== nameOutcome(outcome))
      await markUsed(node, account);
  }

  async function play(): Promise<void> {
    if (isBusy(demo)) return;
    letGo?.();
    film = new AbortController();
    dispatch({ type: "play" });
    const wallets = walletsOf(accounts, demo.round, true);
    let consumer: Promise<Consumer> | undefined;
    const openOnce = () => {
      consumer ??= openStory(true);
      return consumer;
    };
    for (const name of storyNames) {
      if (name !== storyNames[0]) await pause(film.signal);
      if (film.signal.aborted) break;
      const outcome = await begin({ claim: name, open: openOnce, account: wallets[name], wallet: node });
      if (outcome === undefined || nameOutcome(outcome) !== story[name].expected) break;
    }
    dispatch({ type: "stop" });
  }

  return {
    claim: claimInStory,
    claimOwn: async ({ consumer, ...order }) => {
      await begin({ ...order, claim: "own", open: () => open(consumer) });
    },
    prove,
    comeBack: () => dispatch({ type: "return", query: new URLSearchParams() }),
    goOn() {
      const name = storyNames.find((each) => demo.claims[each]?.name === "proven");
      if (name !== undefined) void claimInStory(name);
    },
    release: () => letGo?.(),
    async startOver() {
      letGo?.();
      const from = demo.round + 1;
      const unused = await findUnusedRound(node, accounts, from);
      dispatch({ type: "startOver", round: unused ?? from, isFresh: unused !== undefined });
    },
    play,
    stop: () => film.abort(),
    choose: (change) => dispatch({ type: "choose", change }),
    develop: (isOpen) => dispatch({ type: "develop", isOpen }),
  };
}

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, pauseMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
