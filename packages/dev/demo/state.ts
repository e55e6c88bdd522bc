import { nameOutcome, type Outcome, type Step, type Wait } from "./claim.ts";
import { type StoryName, story, storyNames } from "./story.ts";

/** Which claim: one of the story, or the person's own. */
export type ClaimName = StoryName | "own";

/** The phase of a claim; an untried one has none. The outcome stays until the story starts over. */
export type Phase =
  | { readonly name: "claiming"; readonly steps: readonly Step[]; readonly wait: Wait }
  /** The person has to prove an account; with `state`, they have left for the verify page, which sends it back. */
  | {
      readonly name: "proving";
      readonly steps: readonly Step[];
      readonly outcome: Extract<Outcome, { kind: "redirect" }>;
      readonly state?: string;
    }
  /** Back from the verify page with an account: the claim goes on as soon as its wallet is there. */
  | { readonly name: "proven"; readonly steps: readonly Step[] }
  /** Back from the verify page without one. */
  | { readonly name: "cameBack"; readonly steps: readonly Step[]; readonly error: string }
  | { readonly name: "ended"; readonly steps: readonly Step[]; readonly outcome: Outcome };

/** All that the demo shows, and what its tab keeps of one chain: it is still there after the verify page. */
export interface Demo {
  readonly claims: Readonly<Partial<Record<ClaimName, Phase>>>;
  /** The claim that was begun last: what came of it is unfolded. */
  readonly latest: ClaimName | undefined;
  /** The claim of which the person looks at what was sent, if they have chosen one. */
  readonly viewed: StoryName | undefined;
  /** Whether the person has come back from the verify page for it. */
  readonly isReturn: boolean;
  /** How often the story was begun: it decides the wallets. */
  readonly round: number;
  /** Contracts that were opened since the chain started: name → address. */
  readonly opened: Readonly<Record<string, string>>;
  /** The identity hashes that the story's contract has admitted. */
  readonly known: readonly string[];
  /** Whether the story goes through by itself, or has done so. */
  readonly film: "none" | "playing" | "over";
  /** Whether the story has just started over. */
  readonly isReset: boolean;
  /** Whether the wallets of this round were used before, as no others are left. */
  readonly isUsed: boolean;
  /** The choices for the developer's own claim. */
  readonly own: OwnChoice;
  /** Whether the part for developers is open. */
  readonly isDeveloping: boolean;
}

export interface OwnChoice {
  /** Name of the consumer. */
  readonly consumer?: string | undefined;
  /** The wallet's name among wallets (`rdns`). */
  readonly wallet?: string | undefined;
  readonly account?: string | undefined;
}

export type Action =
  | { readonly type: "begin"; readonly claim: ClaimName }
  | { readonly type: "step"; readonly claim: ClaimName; readonly step: Step }
  | { readonly type: "wait"; readonly claim: ClaimName; readonly wait: Wait }
  | {
      readonly type: "end";
      readonly claim: ClaimName;
      readonly outcome: Outcome;
      readonly known: Demo["known"];
    }
  | { readonly type: "leave"; readonly claim: ClaimName; readonly state: string }
  /** @param query The verify page's answer; empty after the browser's Back. */
  | { readonly type: "return"; readonly query: URLSearchParams }
  | { readonly type: "open"; readonly opened: Readonly<Record<string, string>> }
  | { readonly type: "choose"; readonly change: OwnChoice }
  | { readonly type: "develop"; readonly isOpen: boolean }
  | { readonly type: "view"; readonly claim: StoryName }
  | { readonly type: "startOver"; readonly round: number; readonly isUsed: boolean }
  | { readonly type: "play" }
  | { readonly type: "stop" };

export const emptyDemo: Demo = {
  claims: {},
  latest: undefined,
  viewed: undefined,
  isReturn: false,
  round: 0,
  opened: {},
  known: [],
  film: "none",
  isReset: false,
  isUsed: false,
  own: {},
  isDeveloping: false,
};

export function reduce(demo: Demo, action: Action): Demo {
  switch (action.type) {
    case "begin": {
      const { claim } = action;
      const before = demo.claims[claim];
      const isReturn = before?.name === "proven";
      const steps = isReturn ? before.steps : [];
      return {
        ...enter(demo, claim, { name: "claiming", steps, wait: "service" }),
        latest: claim,
        viewed: undefined,
        isReturn,
      };
    }
    case "step":
      return change(demo, action.claim, ({ steps }) => ({ steps: [...steps, action.step] }));
    case "wait":
      return change(demo, action.claim, () => ({ wait: action.wait }));
    case "end": {
      const { claim, outcome, known } = action;
      const { steps = [] } = demo.claims[claim] ?? {};
      if (outcome.kind === "redirect") return enter(demo, claim, { name: "proving", steps, outcome });
      return { ...enter(demo, claim, { name: "ended", steps, outcome }), known, isReset: false };
    }
    case "leave":
      return change(demo, action.claim, () => ({ state: action.state }));
    case "return":
      return comeBack(demo, action.query);
    case "open":
      return { ...demo, opened: { ...demo.opened, ...action.opened } };
    case "choose": {
      // The outcome belongs to the wallet and contract that were chosen before.
      const { own, ...claims } = demo.claims;
      const isOver = own !== undefined && own.name !== "claiming";
      return { ...demo, own: { ...demo.own, ...action.change }, claims: isOver ? claims : demo.claims };
    }
    case "develop":
      return { ...demo, isDeveloping: action.isOpen };
    case "view":
      return { ...demo, viewed: action.claim };
    case "startOver": {
      const { own, isDeveloping } = demo;
      const { round, isUsed } = action;
      return { ...emptyDemo, own, isDeveloping, round, isUsed, isReset: true };
    }
    case "play":
      return {
        ...demo,
        claims: {},
        viewed: undefined,
        opened: {},
        known: [],
        film: "playing",
        isReset: false,
      };
    case "stop":
      return { ...demo, film: "over" };
  }
}

const enter = (demo: Demo, claim: ClaimName, phase: Phase): Demo => ({
  ...demo,
  claims: { ...demo.claims, [claim]: phase },
});

const change = (demo: Demo, claim: ClaimName, write: (phase: Phase) => object): Demo => {
  const phase = demo.claims[claim];
  return phase === undefined ? demo : enter(demo, claim, { ...phase, ...write(phase) });
};

/** Believes the verify page only where it sends back what the person left with, and tells it once. */
function comeBack(demo: Demo, query: URLSearchParams): Demo {
  const found = Object.entries(demo.claims).find(([, phase]) => "state" in phase) as
    | [ClaimName, Extract<Phase, { name: "proving" }>]
    | undefined;
  if (found === undefined) return demo;
  const [claim, { steps, state }] = found;
  const { [claim]: _, ...others } = demo.claims;
  // Not its `size`, which is newer than some browsers.
  const isEmpty = query.toString() === "";
  if (!isEmpty && query.get("state") !== state) return { ...demo, claims: others };
  if (query.get("success") === "true") return enter(demo, claim, { name: "proven", steps });
  const error = isEmpty ? "cancelled" : (query.get("error") ?? "");
  return { ...enter(demo, claim, { name: "cameBack", steps, error }), latest: claim, isReturn: true };
}

/** Whether a claim of the story has ended as it should, or so. */
export function isDone({ claims }: Demo, name: StoryName, expected = story[name].expected): boolean {
  const phase = claims[name];
  return phase?.name === "ended" && nameOutcome(phase.outcome) === expected;
}

/** Whether every claim of the story has ended as it should. */
export const isToldIn = (demo: Demo): boolean => storyNames.every((name) => isDone(demo, name));

/** The claims of the story for which something was sent. */
export const listSent = ({ claims }: Demo): readonly StoryName[] =>
  storyNames.filter((name) => (claims[name]?.steps.length ?? 0) > 0);

/** Finds the claim whose calls are shown: the chosen one, or the latest, or the one that worked once all are over. */
export function findViewed(demo: Demo): StoryName | undefined {
  const { viewed, latest } = demo;
  const sent = listSent(demo);
  const wanted = [viewed, isToldIn(demo) ? "phone" : latest];
  return sent.find((name) => name === wanted[0]) ?? sent.find((name) => name === wanted[1]) ?? sent[0];
}

/** The result of a story's claim. */
export type State = "untried" | "running" | "accepted" | "reverted" | "unsigned" | "otherwise";

const states: Partial<Record<Outcome["kind"], State>> = {
  admitted: "accepted",
  reverted: "reverted",
  unmet: "unsigned",
};

export function nameState(demo: Demo, name: StoryName): State {
  const phase = demo.claims[name];
  if (phase === undefined || phase.name === "cameBack") return "untried";
  if (phase.name !== "ended") return "running";
  const state = states[phase.outcome.kind] ?? "untried";
  return isDone(demo, name) || state === "untried" ? state : "otherwise";
}

/** Whether a claim is under way, so that no other is begun. */
export const isBusy = ({ claims, film }: Demo): boolean =>
  film === "playing" || Object.values(claims).some(({ name }) => name === "claiming");
