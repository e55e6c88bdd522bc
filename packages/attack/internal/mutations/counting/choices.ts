// A person's choice, such as a vote or a seat: does another one count them again, or let anybody in?
import type { Edit, Leaf } from "../../calldata.ts";
import { type Effect, overlap, valuesIn } from "../../effect.ts";
import { effectOf, etherOf, isAdmitted, isTakenBack, roundsOf } from "../../gains.ts";
import { type Attack, learnGiven, type Verdict, verdictOf } from "../../judge.ts";
import { madeUp, type Play } from "../../play.ts";
import type { Scene } from "../../scene.ts";
import { day, month } from "../../stage.ts";

/** Tries each change of the arguments: for people who have not been counted, and for the attacker. */
async function tryEdits(scene: Scene, edits: readonly (Edit | undefined)[], attack: Play) {
  const { wallet } = attack;
  const carol = await scene.simulate({ wallet, identity: "carol" }, edits);
  const dave = await scene.simulate({ wallet, identity: "dave" }, edits);
  const outcomes = await scene.simulate(attack, edits);
  return edits.map((edit, i) => {
    const [one, twin, outcome] = [carol[i], dave[i], outcomes[i]];
    const control = one && twin && scene.compare(one, twin);
    const { gains, done: usual } = control && "gains" in control ? control : {};
    const isIn = gains !== undefined && outcome !== undefined && isAdmitted(outcome, gains);
    return {
      edit,
      gains,
      usual,
      isIn,
      outcome,
      rounds: outcome ? roundsOf(outcome) : "",
      price: one && etherOf(one),
    };
  });
}

/** Plays several claims in turn, of which the last must be admitted to show a fault. */
function prove(scene: Scene, plays: readonly Play[], message: string, change: string): Promise<Verdict> {
  const trial = async () => {
    for (const play of plays) if (!("done" in (await scene.play(play)))) return undefined;
    return `${scene.short} ${message}`;
  };
  return verdictOf(scene, trial, { change });
}

/** Changes one argument after the other, for verifications that must be refused with any of them. */
export const forgedWithChoice: Attack = {
  name: "argument that opens the door",
  async *run(scene) {
    const { stranger } = scene.wallets;
    const edits = [undefined, ...scene.recorded.edits];
    const verification = await scene.mint();
    const lies: readonly (readonly [Play, string])[] = [
      [{ verification: madeUp }, "admits a made-up verification"],
      [{ wallet: stranger, verification }, "admits a wallet with the verification of another one"],
    ];
    for (const [play, what] of lies) {
      const [asItIs, ...all] = await tryEdits(scene, edits, play);
      // Another attack shows that.
      if (asItIs?.isIn) continue;
      for (const { edit, gains, isIn } of all) {
        if (edit === undefined || gains === undefined) continue;
        const isWorth = overlap(asItIs?.gains ?? gains, gains) > 0 || asItIs?.gains?.size === 0;
        if (!isIn || !isWorth || edit.leaf?.type.type === "address") yield "held";
        else
          yield await prove(
            scene,
            [{ ...play, edit }],
            `${what}, if ${edit.what}: verify whatever the caller chooses.`,
            edit.what,
          );
      }
    }
  },
};

/** Seconds of an hour, a day, a week and thirty days, by which contracts number their rounds. */
const periods = [3_600, day, 7 * day, month].map(BigInt);

/** Whether a number is a period that is not long ago. */
const isNear = (number: unknown, current: bigint) =>
  typeof number === "bigint" && number <= current + 1n && number + 7n >= current;

/** Whether a number is the recorded one's next. */
const isNextTo = (edit: Edit | undefined) =>
  typeof edit?.leaf?.value === "bigint" && edit.value === edit.leaf.value + 1n;

/** Lets a counted person come again with another argument, and twice with the same one. */
export const choosing: Attack = {
  name: "round of the caller's choice",
  async *run(scene) {
    const { second, third } = scene.wallets;
    const given = await learnGiven(scene);
    const edits = [undefined, ...scene.recorded.edits];
    const [asItIs, ...all] = await scene.branch(async () => {
      const before = await scene.play();
      const tried = await tryEdits(scene, edits, { wallet: second });
      const bySame = await scene.simulate({ identity: "carol" }, edits);
      const isMoved = ({ outcome, usual }: (typeof tried)[number]) =>
        "done" in before && outcome && usual && given && isTakenBack(given(before.done), outcome, usual);
      const isFree = ![...effectOf(before)].some((mark) => /^slot .*-$/.test(mark));
      return tried.map((each, i) => ({
        ...each,
        isIn: each.isIn && !isMoved(each),
        price: each.price ?? etherOf(before),
        // The contract lets each wallet have one thing only, and has taken nothing from this one by which another would be paid.
        isOnce: isFree && bySame[i] !== undefined && !("done" in bySame[i]),
      }));
    });
    // Another attack shows that.
    if (asItIs === undefined || asItIs.isIn) return;
    const made = new Map<Leaf | undefined, number>();
    const now = BigInt(await scene.stage.time());
    // A trusted caller's choice is not the person's.
    for (const { edit, gains, isIn, price, isOnce } of scene.isTrusted ? [] : all) {
      if (edit === undefined || gains === undefined) continue;
      if (isIn && edit.isMade) made.set(edit.leaf, (made.get(edit.leaf) ?? 0) + 1);
      const [own, usual] = [valuesIn(gains), valuesIn(asItIs.gains ?? gains)];
      // Where nothing differs but who counts, the choice is no reason to count again.
      const isSame =
        own.size > 0 && usual.size > 0 && (overlap(own, usual) === 1 || overlap(usual, own) === 1);
      // A person may answer a question once, but may not give every answer.
      const isAnswer =
        edit.leaf?.type.type === "bool" ||
        /^_?(support|option|choice|answer|side|outcome)_?$/i.test(edit.leaf?.type.name ?? "");
      // A contract that checks it has a few for each person, unless it is somebody's alone.
      const isTaken = asItIs.gains === undefined;
      const isSlot = /^_?(slot|seat)_?$/i.test(edit.leaf?.type.name ?? "") && !isTaken;
      // The list's other items, which stay as they are, have counted before.
      const isAmongOthers = edit.leaf !== undefined && scene.recorded.isAmongOthers(edit.leaf, edit.value);
      const isBoundless = (made.get(edit.leaf) ?? 0) > 1;
      // Its neighbor is refused, so that the contract must have cut it before it looked at it.
      const isCutFirst =
        edit.isLong === true &&
        all.some((near) => near.edit?.leaf === edit.leaf && isNextTo(near.edit) && near.gains === undefined);
      // A person who may still come for yesterday has come for another day.
      const isPeriod = periods.some(
        (seconds) => isNear(edit.leaf?.value, now / seconds) && isNear(edit.value, now / seconds),
      );
      const isOneWeiMore = edit.leaf === undefined && price === (asItIs.price ?? 0n) + 1n;
      const isAgain =
        isIn &&
        ((isSame && !isSlot && !isPeriod && (edit.isScaled || price === asItIs.price || isOneWeiMore)) ||
          isAnswer ||
          isOnce ||
          isAmongOthers ||
          isCutFirst ||
          isBoundless);
      const name = edit.leaf?.name ?? "value";
      if (!isAgain) yield "held";
      else {
        const means = isBoundless
          ? `admits one person again for each new ${name}, which the caller chooses freely. Check that it exists before you verify.`
          : `admits one person once for each ${name}, which the caller chooses: remember the identity for all of them, or give _verifyOnce a round that exists.`;
        return void (yield await prove(scene, [{}, { wallet: second, edit }], means, edit.what));
      }
    }
    const isWorth = (gains: Effect) => valuesIn(gains).size > 0 || valuesIn(asItIs.gains ?? gains).size === 0;
    for (const { edit, gains } of all) {
      // Nobody gets anything by it.
      if (edit === undefined || gains === undefined || !isWorth(gains)) continue;
      const verdict = await scene.branch(async () => {
        const before = await scene.play({ edit });
        if (effectOf(before).size === 0) return undefined;
        const [again] = await tryEdits(scene, [edit], { wallet: second });
        if (again?.gains === undefined) return undefined;
        if (!again.isIn || again.rounds !== roundsOf(before)) return false;
        if (edit.leaf !== undefined && !/int\d/.test(edit.leaf.type.type)) return true;
        // Of a quota, a person may take small parts until there is no room for all that the recorded claim takes.
        await scene.play({ wallet: second, edit });
        const [whole] = await tryEdits(scene, [undefined], { wallet: third });
        return whole?.gains === undefined || whole.isIn;
      });
      if (verdict === undefined) continue;
      const value = edit.what.slice(edit.what.indexOf("=") + 2);
      const means = `admits a second wallet of a person who chooses ${value}: remember the identity for every choice.`;
      yield verdict ? await prove(scene, [{ edit }, { wallet: second, edit }], means, edit.what) : "held";
    }
  },
};
