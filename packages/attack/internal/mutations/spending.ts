// May somebody else spend a verification, so that its person is refused, or gets what others choose?
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { countOf, type Edit, outermost, readFunctions, substitute } from "../calldata.ts";
import { type Effect, overlap } from "../effect.ts";
import { short } from "../functions.ts";
import { effectOf, isAdmitted, roundsOf } from "../gains.ts";
import { type Attack, findWay, sumUp, type Verdict, verdictOf } from "../judge.ts";
import { tryWithGrants } from "../openings.ts";
import { otherEntryPoints, waysOfOthers } from "../otherClaims.ts";
import { type Gains, madeUp, type Play, withEdit } from "../play.ts";
import { Recorded } from "../recorded.ts";
import type { Scene } from "../scene.ts";
import type { Call, Outcome } from "../stage.ts";

export const usedUp: Attack = {
  name: "verification used up by a stranger",
  async *run(scene) {
    const { first, stranger } = scene.wallets;
    const way = await findWay(scene, {});
    if ("refusal" in way) return void (yield way);
    const verification = await scene.mint();
    const forged = { ...verification, signature: madeUp.signature };
    yield await verdictOf(scene, async () => {
      const attempt = await scene.play({ wallet: stranger, verification: forged });
      if (!("done" in attempt)) return undefined;
      const outcome = await scene.play({ verification, edit: way.edit });
      if (isAdmitted(outcome, way.gains)) return undefined;
      return `${scene.short} lets anybody use up an identity without its verification: remember it only when it is verified, and revert otherwise.`;
    });
    if (scene.isRelayed) yield* withoutSender(scene, verification);
    if (scene.isTrusted) return;
    const isNamed = (call: Call) => ({ ...substitute(call, stranger, first), from: stranger });
    yield* choose(scene, {
      wallet: stranger,
      verification,
      edit: { what: "the verified wallet", apply: isNamed },
    });
    // A transaction is public before it is in a block.
    const isSeen = (call: Call) => ({ ...call, from: stranger });
    yield* choose(scene, { verification, edit: { what: "a stranger sends it", apply: isSeen } });
    if (scene.sender === undefined) yield* elsewhere(scene, verification);
  },
};

/** Spends a verification for its wallet with arguments of a stranger, such as a voter's vote. */
async function* choose(scene: Scene, play: Play, isWhole = true): AsyncIterable<Verdict> {
  // Its wallet has sent and signed all that comes before.
  const edits = scene.recorded.edits.map(({ before: _, sign: __, ...edit }): Edit => edit);
  const [asItIs, ...others] = await scene.simulate(play, [undefined, ...edits]);
  if (asItIs === undefined || !("done" in asItIs)) return void (yield "held");
  const unsigned: Edit[] = [];
  for (const [i, outcome] of others.entries()) {
    const edit = edits[i];
    if (edit === undefined || !("done" in outcome)) continue;
    if (isOther(outcome, asItIs)) {
      const trial = async () =>
        "done" in (await scene.play(withEdit(play, edit))) ? `${scene.short} ${means}` : undefined;
      yield await verdictOf(scene, trial, { change: edit.what });
    } else if (edit.leaf?.type.type === "bytes") unsigned.push(edit);
  }
  // Where a signature of the wallet is not checked, it protects nothing else.
  for (const edit of isWhole ? unsigned : []) yield* choose(scene, withEdit(play, edit), false);
}

/** Spends a verification for its wallet by another function. */
async function* elsewhere(scene: Scene, verification: SignedVerification): AsyncIterable<Verdict> {
  const { stranger } = scene.wallets;
  for (const entry of otherEntryPoints(scene)) {
    // A contract may ask the wrong one of two wallets for leave.
    const verdicts = await tryWithGrants(scene, entry, async function* () {
      const [asItIs, ...others] = await waysOfOthers(scene, entry, stranger, verification);
      const other = asItIs && others.find((each) => isOther(each, asItIs));
      if (other === undefined) return void (yield "held");
      await scene.send(`A stranger calls ${entry.name} for the first wallet.`, other.call);
      yield { found: scene.found(`${short(entry)} ${means}`, { entryPoint: entry.name }) };
    });
    yield sumUp(verdicts) ?? "held";
  }
}

const means =
  "lets anybody who sees a verification spend it for its wallet, with arguments of their own: verify msg.sender, or admit only a caller that you trust.";

/** Whether a claim in the same round gives something else. */
function isOther(one: Outcome, other: Outcome): boolean {
  if (!("done" in one) || !("done" in other)) return true;
  const isEqual = overlap(effectOf(one), effectOf(other)) + overlap(effectOf(other), effectOf(one)) === 2;
  const isAsMuch = [...one.done.amounts].every(
    ([mark, amount]) => !mark.startsWith("slot ") || other.done.amounts.get(mark) === amount,
  );
  return roundsOf(one) === roundsOf(other) && !(isEqual && isAsMuch);
}

/** Makes the call of the trusted sender without what the sender does besides, such as paying. */
const wasted = (scene: Scene, call: Call, usual: Extract<Gains, { gains: Effect }>): Promise<Verdict> =>
  verdictOf(scene, async () => {
    const outcome = await scene.send(`A stranger calls ${scene.entryPoint} for the first wallet.`, call);
    if (!("done" in outcome)) return undefined;
    const { address } = scene.target;
    const { amounts } = outcome.done;
    const isLess = [...usual.gains].some(
      (mark) => mark.includes(address) && (amounts.get(mark) ?? 0n) < (usual.done.amounts.get(mark) ?? 0n),
    );
    if (!isLess || isAdmitted(await scene.play({}), usual.gains)) return undefined;
    return `${scene.short} lets anybody use up a verification that they see, so that its person gets less: admit only the caller that you trust.`;
  });

/** Makes the call of the trusted sender, as a stranger. */
async function* withoutSender(scene: Scene, verification: SignedVerification): AsyncIterable<Verdict> {
  const { first, stranger } = scene.wallets;
  const { target } = scene;
  const gains = await scene.ownGains({});
  const shown = await scene.ownGains({ verification });
  if ("refusal" in gains) return void (yield gains);
  if ("refusal" in shown) return void (yield shown);
  const [, data] = shown.done.inputs.find(([to]) => to === target.address) ?? [];
  if (data === undefined) return;
  const call: Call = { from: stranger, to: target.address, data };
  const own = new Set([...gains.gains].filter((mark) => mark.includes(target.address)));
  const place = { input: data, inner: outermost, spoken: readFunctions(target.abi), isWritten: false };
  const { edits } = new Recorded(target, call, verification, { ...place, entry: scene.recorded.entry });
  const named = Array.from({ length: countOf(call, first) }, (_, at) =>
    substitute(call, first, stranger, at),
  );
  const asItIs = await scene.stage.simulate(call);
  yield await wasted(scene, call, gains);
  for (const [i, changed] of [...named, ...edits.map(({ apply }) => apply(call))].entries()) {
    const outcome = await scene.stage.simulate(changed);
    // A stranger who can only bring the same call, as a relay does, chooses nothing.
    if (!isAdmitted(outcome, own) || (i >= named.length && !isOther(outcome, asItIs))) yield "held";
    else {
      yield await verdictOf(scene, async () => {
        await scene.send(`A stranger calls ${scene.entryPoint} for the first wallet.`, changed);
        return `${scene.short} believes anybody who calls it for a user, and lets anybody who sees a verification spend it with arguments of their own: admit only the caller that you trust.`;
      });
    }
  }
}
