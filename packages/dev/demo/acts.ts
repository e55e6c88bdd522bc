import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { nameTrouble } from "@hardhat-identity/verify-page/shared/trouble";
import { markUsed, openAnew, readKnown } from "./chain.ts";
import { claim, type Outcome } from "./claim.ts";
import { readConfig } from "./config.ts";
import { type Consumer, listEntryPoints, listExamples } from "./consumers.ts";
import { remember } from "./memory.ts";
import { findUnusedRound, type Prepared } from "./prepare.ts";
import { type Action, type ClaimName, type Demo, isBusy, isDone, type OwnChoice, reduce } from "./state.ts";
import { type StoryName, storyContract, storyNames, walletsOf } from "./story.ts";

/** The actions of the page. */
export type Acts = ReturnType<typeof createActs>;

/** Milliseconds in which each claim of a story that plays by itself can be read. */
const pauseMs = 2_500;

/** @param show Told of the demo after each change. */
export function createActs(prepared: Prepared, show: (demo: Demo) => void) {
  const { config, node, accounts, chain } = prepared;
  let { demo } = prepared;
  let isClaiming = false;
  // How the person came back is told once.
  remember(chain, demo);
  const dispatch = (action: Action): void => {
    demo = reduce(demo, action);
    remember(chain, demo);
    show(demo);
  };

  type Open = () => Promise<Consumer>;
  /** @returns Nothing while another claim is under way: nobody overtakes a wallet or the service. */
  async function begin(name: ClaimName, open: Open, account: string, wallet: Eip1193Connection = node) {
    if (isClaiming) return undefined;
    isClaiming = true;
    dispatch({ type: "begin", claim: name });
    let before = performance.now();
    let outcome: Outcome;
    try {
      outcome = await claim({
        config,
        node,
        account,
        wallet,
        consumer: await open(),
        onStep(step) {
          const ms = Math.round(performance.now() - before);
          before += ms;
          dispatch({ type: "step", claim: name, step: { ...step, ms } });
        },
        onWait: (wait) => dispatch({ type: "wait", claim: name, wait }),
      });
    } catch (error) {
      const trouble = nameTrouble(error);
      const failed = { kind: "failed", code: "", text: String(error) } as const;
      outcome = trouble === "page" ? failed : { kind: "trouble", trouble };
    }
    // Any wallet may have claimed at the story's contract; one that is still to be opened knows nobody.
    const address = demo.opened[storyContract] ?? (demo.round === 0 && config.consumers[storyContract]);
    const known = address ? await readKnown(node, address).catch(() => demo.known) : [];
    isClaiming = false;
    dispatch({ type: "end", claim: name, outcome, known });
    return outcome;
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

  /** Leaves for the verify page. */
  function prove(name: ClaimName): void {
    const phase = demo.claims[name];
    if (phase?.name !== "proving") return;
    const state = crypto.getRandomValues(new Uint32Array(4)).join("-");
    dispatch({ type: "leave", claim: name, state });
    const url = new URL(phase.outcome.verifyUrl);
    url.searchParams.set("state", state);
    // The language that the person has chosen here.
    url.searchParams.set("ui_locales", document.documentElement.lang);
    location.assign(url.href);
  }

  async function claimInStory(name: StoryName): Promise<void> {
    const account = walletsOf(accounts, demo.round, demo.film !== "none")[name];
    const isReturn = demo.claims[name]?.name === "proven";
    const outcome = await begin(name, () => openStory(), account);
    // Goes to the verify page by itself once; after a fruitless visit, only by a click.
    if (outcome?.kind === "redirect" && !isReturn) prove(name);
    // Somebody else's account stays with this wallet, which has sent nothing: no other browser may begin with it.
    if (outcome?.kind === "unmet" && !isDone(demo, name)) await markUsed(node, account);
  }

  /** Goes through the story by itself, with real claims. */
  async function play(): Promise<void> {
    if (isBusy(demo)) return;
    dispatch({ type: "play" });
    const wallets = walletsOf(accounts, demo.round, true);
    for (const name of storyNames) {
      const isFirst = name === storyNames[0];
      if (!isFirst) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await begin(name, () => openStory(isFirst), wallets[name]);
      if (!isDone(demo, name)) break;
    }
    dispatch({ type: "stop" });
  }

  /** The contract where it is now: `--deploy` deploys it again when its code changes. */
  async function findCurrent(consumer: Consumer): Promise<Consumer> {
    if ("example" in consumer.is) return consumer;
    const { own = [] } = await readConfig();
    return own.flatMap(listEntryPoints).find(({ name }) => name === consumer.name) ?? consumer;
  }

  return {
    claim: claimInStory,
    claimOwn: (consumer: Consumer, account: string, wallet: Eip1193Connection) =>
      begin("own", async () => open(await findCurrent(consumer)), account, wallet),
    prove,
    /** Comes back from there, by the browser's Back. */
    comeBack: () => dispatch({ type: "return", query: new URLSearchParams() }),
    /** Goes on with a claim of the story for which an account has been proven meanwhile. */
    goOn() {
      const name = storyNames.find((each) => demo.claims[each]?.name === "proven");
      if (name !== undefined) void claimInStory(name);
    },
    async startOver() {
      if (isBusy(demo)) return;
      const from = demo.round + 1;
      const unused = await findUnusedRound(node, accounts, from);
      dispatch({ type: "startOver", round: unused ?? from, isUsed: unused === undefined });
    },
    play,
    choose: (change: OwnChoice) => dispatch({ type: "choose", change }),
    /** Shows what was sent for a claim. */
    view: (claim: StoryName) => dispatch({ type: "view", claim }),
    develop: (isOpen: boolean) => dispatch({ type: "develop", isOpen }),
  };
}
