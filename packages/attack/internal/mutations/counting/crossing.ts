// A person's way: does another function that takes a verification count them again?
import type { Edit } from "../../calldata.ts";
import { isGrowth, lossOf, overlap, valuesIn } from "../../effect.ts";
import { short } from "../../functions.ts";
import { effectOf, incomesOf, isAdmitted, isCountedTwice, roundsOf } from "../../gains.ts";
import { type Attack, findWay, learnGiven, type Pair, pairOf, type Verdict, verdictOf } from "../../judge.ts";
import { callDoor, composeCall, findWays } from "../../openings.ts";
import { otherClaims } from "../../otherClaims.ts";
import { madeUp } from "../../play.ts";
import type { Scene } from "../../scene.ts";
import type { Done, Outcome } from "../../stage.ts";

/** Lets a counted person come by the contract's other functions that take a verification. */
export const acrossEntryPoints: Attack = {
  name: "same person across entry points",
  async *run(scene) {
    const { second } = scene.wallets;
    yield* afterwards(scene);
    yield* await scene.branch(() => withdraw(scene));
    const names = (await otherClaims(scene, second)).map(([name]) => name);
    for (const [i, name] of names.entries()) {
      const trial = async () => {
        const own = await scene.gains({ wallet: second, identity: "carol" });
        if ("refusal" in own) return own;
        const before = await scene.play();
        if (!("done" in before)) return { refusal: scene.sayRefusal(before) };
        const callAs = async (identity: string) => (await otherClaims(scene, second, { identity }))[i]?.[1];
        const tryAs = async (identity: string): Promise<Outcome> => {
          const call = await callAs(identity);
          return call === undefined ? { revert: "0x" } : scene.stage.simulate(call);
        };
        const control = scene.compare(await tryAs("carol"), await tryAs("dave"));
        if ("refusal" in control) return { refusal: `${name}: ${control.refusal}` };
        const call = await callAs("alice");
        if (call === undefined) return undefined;
        const outcome = await scene.send(`The second wallet calls ${name} as alice.`, call);
        if (!isAdmitted(outcome, control.gains)) return undefined;
        // Two functions that count in rounds of their own, for different things, are meant so.
        const rounds = [before, outcome].map(roundsOf);
        const areRounds = rounds.every((each) => /[1-9a-f]/.test(each.replaceAll("0x", "")));
        const [one, two] = [own.done.amounts, control.done.amounts];
        const values = valuesIn(control.gains);
        const same = [...values].filter((mark) => one.get(mark) === two.get(mark));
        if (areRounds && rounds[0] !== rounds[1] && 2 * same.length <= values.size) return undefined;
        return `${name} admits a person who has been counted by ${scene.short}: let both remember identities in one place, as _verifyOnce does.`;
      };
      yield await verdictOf(scene, trial, { entryPoint: name });
    }
  },
};

/** Lets a counted person call another function, such as one that withdraws, and come again with another wallet. */
async function withdraw(scene: Scene): Promise<Verdict[]> {
  const { first, second } = scene.wallets;
  const carol = { wallet: second, identity: "carol" };
  const given = await learnGiven(scene);
  const counted = await scene.play();
  const now = await findWay(scene, carol);
  if (given === undefined || !("done" in counted) || "refusal" in now) return [];
  const claimed = given(counted.done);
  const comeAgain = (edit: Edit | undefined) => scene.play({ wallet: second, edit });
  // Another attack shows that.
  if (isAdmitted(await scene.branch(() => comeAgain(now.edit)), now.gains)) return [];
  const verdicts: Verdict[] = [];
  for (const [name, call] of await otherClaims(scene, first, { identity: "alice", isAfterwards: true })) {
    const trial = async () => {
      const left = await scene.send(`The first wallet calls ${name} as alice.`, call);
      const way = await findWay(scene, carol);
      if ("refusal" in way) return way;
      const again = await comeAgain(way.edit);
      if (!isAdmitted(again, way.gains) || !isCountedTwice(claimed, [left, again])) return undefined;
      return `After ${name}, a person whom ${scene.short} has counted counts again, and keeps what it gave: take it back, or keep the identity used.`;
    };
    verdicts.push(await verdictOf(scene, trial, { entryPoint: name }));
  }
  return verdicts;
}

/** Whether a wallet is paid as much as by a claim, and the other wallet loses nothing like it. */
function isPaidAnew({ one, other, ofOther }: Pair, done: Done): boolean {
  const incomes = incomesOf(done);
  return [...incomesOf(one.done)].some(([what, amount]) => {
    const isLost = (mark: string) =>
      other.done.amounts.get(mark) === amount && done.amounts.has(lossOf(mark));
    return (incomes.get(what) ?? 0n) >= amount && ![...ofOther].some(isLost);
  });
}

/** Lets a counted person, or a stranger who has seen the verification, come by a function that is open to counted people only. */
async function* afterwards(scene: Scene): AsyncIterable<Verdict> {
  const { first, second, stranger } = scene.wallets;
  /** Finds a function by which the wallet that a person has left has again what was taken from it, as nobody else may. */
  const findRight = async (lost: readonly string[]) => {
    for (const door of scene.doors) {
      for (const { choice, done } of await findWays(scene, door, first)) {
        if (!lost.some((mark) => done.effect.has(mark))) continue;
        if ("done" in (await scene.stage.simulate(composeCall(scene, door, stranger, choice)))) continue;
        await callDoor(scene, door, first, choice);
        return short(door);
      }
    }
    return undefined;
  };
  const before = new Set((await otherClaims(scene, second)).map(([name]) => name));
  const seen = await scene.mint();
  const forged = { ...seen, signature: madeUp.signature };
  for (const [wallet, verification] of [
    [second, undefined],
    [stranger, forged],
  ] as const) {
    const pair = await pairOf(scene, [{ wallet }, {}]);
    if ("refusal" in pair) continue;
    const alone = valuesIn(pair.own);
    // A vote is written where all votes are.
    const gains = alone.size > 0 ? alone : valuesIn(pair.one.gains);
    const ofFirst = [...valuesIn(pair.ofOther)].filter(isGrowth);
    yield* await scene.branch(async () => {
      const counted = await scene.play();
      const calls = await otherClaims(scene, wallet, { identity: "alice", verification, isAfterwards: true });
      const isTaken = (outcome: Outcome) =>
        "done" in counted &&
        "done" in outcome &&
        [...counted.done.amounts].some(
          ([mark, amount]) => isGrowth(mark) && outcome.done.amounts.get(lossOf(mark)) === amount,
        );
      const all: Verdict[] = [];
      for (const [name, call] of calls.filter(([name]) => !before.has(name))) {
        const trial = async () => {
          const outcome = await scene.send(`${scene.nameOf(wallet)} calls ${name} as alice.`, call);
          const effect = effectOf(outcome);
          const isGiven = gains.size > 0 && overlap(gains, effect) >= 0.5;
          const isStolen = verification !== undefined && isTaken(outcome);
          // A person who moves to another wallet leaves the first one.
          const lost = ofFirst.filter((mark) => effect.has(lossOf(mark)));
          const isMoved =
            verification === undefined &&
            lost.length > 0 &&
            !("done" in outcome && isPaidAnew(pair, outcome.done));
          const right = isGiven && isMoved ? await findRight(lost) : undefined;
          if (right !== undefined)
            return `After ${name}, the first wallet has by ${right} what ${scene.short} gave, though its person has another one: take all of it from the old wallet.`;
          if (!isStolen && (!isGiven || isMoved)) return undefined;
          return verification === undefined
            ? `${name} gives a person another time what ${scene.short} gave, which the first wallet keeps: take it back.`
            : `${name} takes what ${scene.short} gave from its person, for anybody who has seen the identity hash: verify its caller.`;
        };
        all.push(await verdictOf(scene, trial, { entryPoint: name }));
      }
      return all;
    });
  }
}
