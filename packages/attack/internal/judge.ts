// A control decides: "held" is said only where somebody who has not been counted is let in.
import type { Edit } from "./calldata.ts";
import { type Effect, gainsOfOne, shared } from "./effect.ts";
import { type Given, isAdmitted } from "./gains.ts";
import { type Found, type Gains, type Play, withEdit } from "./play.ts";
import type { Scene } from "./scene.ts";
import type { Done, Outcome } from "./stage.ts";

/** The result of one change: a fault; a refusal beside a control that was let in; or a control that was refused. */
export type Verdict = { readonly found: Found } | "held" | { readonly refusal: string };

/** An attack. It begins in the recorded state, and everything is taken back afterwards. */
export interface Attack {
  readonly name: string;
  /** Yields a verdict for each change; none if there is nothing of the kind to change. */
  run(scene: Scene): AsyncIterable<Verdict>;
}

/**
 * Plays a trial from the present state, and takes it back.
 *
 * @param trial Answers the fault that it has shown, `undefined` for none, or why nothing could be tried.
 */
export const verdictOf = (
  scene: Scene,
  trial: () => Promise<string | { readonly refusal: string } | undefined>,
  more: Pick<Found, "entryPoint" | "change"> = {},
): Promise<Verdict> =>
  scene.branch(async () => {
    const answer = await trial();
    if (typeof answer === "object") return answer;
    return answer === undefined ? "held" : { found: scene.found(answer, more) };
  });

/** The gains of two claims: each, those that only one of them has, and those of both. */
export interface Pair {
  readonly one: Extract<Gains, { gains: Effect }>;
  readonly other: Extract<Gains, { gains: Effect }>;
  readonly own: Set<string>;
  readonly ofOther: Set<string>;
  readonly both: Set<string>;
}

/** Compares the gains of two claims, such as those of two wallets; answers the refusal of either. */
export async function pairOf(
  scene: Scene,
  plays: readonly [Play, Play],
): Promise<Pair | { readonly refusal: string }> {
  const [one, other] = [await scene.gains(plays[0]), await scene.gains(plays[1])];
  if ("refusal" in one) return one;
  if ("refusal" in other) return other;
  return {
    one,
    other,
    own: gainsOfOne(one.gains, other.gains),
    ofOther: gainsOfOne(other.gains, one.gains),
    both: shared(one.gains, other.gains),
  };
}

/** Learns, before a claim, what one gives: answers with that of the claim that was then made. `undefined` if one is refused. */
export async function learnGiven(scene: Scene): Promise<((done: Done) => Given) | undefined> {
  const pair = await pairOf(scene, [{}, { wallet: scene.wallets.second }]);
  if ("refusal" in pair) return undefined;
  const { one, other } = pair;
  const { identityHash } = await scene.mint();
  const consumer = scene.target.address;
  return (done) => ({ done, gains: one.gains, ofAnother: other.gains, identityHash, consumer });
}

/** A claim that must be refused. */
export interface Trial {
  readonly attack: Play;
  /** A person who must be let in with the same change in the same state. */
  readonly control: Play;
  /** The fault, after the function's name. */
  readonly means: string | ((outcome: Outcome) => string);
  /** Whether it is meant so, after all; `usual` is the control's claim. */
  isMeant?(outcome: Outcome, usual: Done): boolean;
  /** Whether it may be another round, such as the next proposal: then it shows nothing. */
  isElsewhere?(outcome: Outcome, edit: Edit): boolean;
}

/** Plays a claim that must be refused, in the present state. */
export async function mustRefuse(scene: Scene, trial: Trial): Promise<Verdict> {
  const way = await findWay(scene, trial.control);
  if ("refusal" in way) return way;
  const { edit, gains, done: usual } = way;
  return scene.branch(async () => {
    const outcome = await scene.play(withEdit(trial.attack, edit));
    if (!isAdmitted(outcome, gains) || trial.isMeant?.(outcome, usual)) return "held";
    if (edit !== undefined && trial.isElsewhere?.(outcome, edit)) return asItIs(scene, trial.control);
    const what = [trial.attack.edit?.what, edit?.what].filter(Boolean).join(", ") || undefined;
    const means = typeof trial.means === "string" ? trial.means : trial.means(outcome);
    return { found: scene.found(`${scene.short} ${means}`, { change: what }) };
  });
}

/** Why a person is refused whose claim is not changed. */
async function asItIs(scene: Scene, control: Play): Promise<Verdict> {
  const gains = await scene.gains(control);
  return "refusal" in gains ? gains : "held";
}

/** Finds how a person is let in: as the claim is written, or else with another of its arguments. */
export async function findWay(
  scene: Scene,
  control: Play,
): Promise<
  { readonly edit?: Edit; readonly gains: Effect; readonly done: Done } | { readonly refusal: string }
> {
  const plain = await scene.gains(control);
  if ("gains" in plain) return plain;
  const outcomes = await scene.simulate(control, scene.recorded.edits);
  for (const [i, edit] of scene.recorded.edits.entries()) {
    const outcome = outcomes[i];
    if (outcome === undefined || !("done" in outcome) || outcome.done.effect.size === 0) continue;
    const gains = await scene.gains(withEdit(control, edit));
    if ("gains" in gains) return { ...gains, edit };
  }
  return plain;
}

/** Takes several verdicts of one attack together. */
export function sumUp(verdicts: readonly Verdict[]): Verdict | undefined {
  const found = verdicts.find((each) => typeof each === "object" && "found" in each);
  return found ?? verdicts.find((each) => each === "held") ?? verdicts[0];
}
