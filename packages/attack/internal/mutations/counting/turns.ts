// A person's turn: when may they come again?
import { FunctionFragment } from "ethers";
import { gainsOfOne, isGrowth } from "../../effect.ts";
import { type Given, payoutsOf, placesOfOne, roundsOf, tokensPaid } from "../../gains.ts";
import { mustRefuse, type Verdict } from "../../judge.ts";
import type { Play } from "../../play.ts";
import type { Scene } from "../../scene.ts";
import type { Done, Outcome } from "../../stage.ts";

/** The times of a claim and of now, in unix seconds. */
type Times = readonly [began: bigint, now: bigint];

/**
 * Prepares to ask whether a claim may count its person again now.
 *
 * @param inRounds Whether a round of another name may admit the person again.
 */
export async function turnsAfter(
  scene: Scene,
  before: Outcome,
  claimed: Given | undefined,
  times: Times,
  inRounds: boolean,
): Promise<(outcome: Outcome) => boolean> {
  const isAnnounced = inRounds && claimed !== undefined && (await isTold(scene, claimed, times));
  const isOver = isAnnounced || (claimed !== undefined && hasLapsed(claimed, times));
  const isOutlived = inRounds && !isOver && claimed !== undefined && (await isRefused(scene, claimed.done));
  return (outcome) => isOver || (inRounds && !isOutlived && roundsOf(before) !== roundsOf(outcome));
}

/**
 * Whether the wallet of a claim, which has given nothing by which it would claim, is still refused for each person: then the
 * round in which it has claimed is not over.
 */
async function isRefused(scene: Scene, claimed: Done): Promise<boolean> {
  const isSpent =
    tokensPaid(claimed).length > 0 || [...claimed.effect].some((mark) => /^slot .*-$/.test(mark));
  return !isSpent && "refusal" in (await scene.gains({ identity: "carol" }));
}

/** Names of getters that say when a person may come again. */
const nextTime = /next|again|cooldown|available|unlock/i;

/** Whether a claim has told everybody, by such a getter, a time that has now come. */
async function isTold({ stage, target, wallets }: Scene, claimed: Given, times: Times): Promise<boolean> {
  const clocks = clocksOf(claimed, times);
  for (const each of clocks.length === 0 ? [] : target.abi) {
    const isNamed =
      each.type === "function" && each.stateMutability === "view" && nextTime.test(each.name ?? "");
    const getter = isNamed ? FunctionFragment.from(each) : undefined;
    if (getter?.inputs.map(({ type }) => type).join() !== "bytes32") continue;
    const data = getter.selector + claimed.identityHash.slice(2);
    const answer = await stage.ask({ from: wallets.stranger, to: target.address, data });
    if (answer?.length === 66 && clocks.includes(BigInt(answer))) return true;
  }
  return false;
}

/** The times at which a claim says that its person may come again: in words of storage that are the person's own. */
function clocksOf(given: Given, [began, now]: Times): bigint[] {
  const own = placesOfOne(given);
  return [...given.done.amounts].flatMap(([mark, amount]) =>
    isGrowth(mark) && own.has(mark.slice("slot ".length, -" +".length)) && amount > began && amount <= now
      ? [amount]
      : [],
  );
}

/**
 * Whether all that a claim gave its wallet has lapsed by itself, such as a membership for a year: each word of it holds a
 * time that has passed.
 */
function hasLapsed({ done, gains, ofAnother, identityHash, consumer }: Given, [began, now]: Times): boolean {
  if ([...payoutsOf(done, consumer)].some(([, amount]) => amount > 0n)) return false;
  const words = [...gainsOfOne(gains, ofAnother)]
    .filter(isGrowth)
    .map((mark) => done.amounts.get(mark) ?? 0n);
  const own = words.filter((word) => word !== BigInt(identityHash));
  // A struct may have a time beside other members.
  const times = (word: bigint) =>
    Array.from({ length: 28 }, (_, i) => BigInt.asUintN(40, word >> BigInt(8 * i)));
  return own.length > 0 && own.every((word) => times(word).some((time) => time > began && time < now));
}

/** Lets a person who may come again, as time has passed, do so twice. */
export const onceMore = (
  scene: Scene,
  again: Play,
  isDue: (outcome: Outcome) => boolean,
): Promise<Verdict[]> =>
  scene.branch(async () => {
    const { third } = scene.wallets;
    const second = await scene.play(again);
    if (!("done" in second) || !isDue(second)) return [];
    return [
      await mustRefuse(scene, {
        attack: { wallet: third },
        control: { wallet: third, identity: "carol" },
        means: "admits a person any number of times once some time has passed: remember each claim.",
        isMeant: (outcome) => roundsOf(outcome) !== roundsOf(second),
        isElsewhere: () => true,
      }),
    ];
  });
