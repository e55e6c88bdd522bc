// The costs of a refusal, and of a claim once many people have come.
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import type { Step } from "hardhat-identity/internal/testing/attack";
import { accountOf } from "../../wallets.ts";
import { countOf, substitute } from "../calldata.ts";
import { overlap } from "../effect.ts";
import { type Attack, findWay, type Verdict, withEdit } from "../judge.ts";
import { effectOf, isAdmitted, madeUp, type Play, roundsOf, type Scene } from "../play.ts";
import type { Call, Outcome } from "../stage.ts";

const kept: Attack = {
  name: "value kept on refusal",
  async *run(scene) {
    const { second } = scene.wallets;
    // A person who was counted already, and one without a valid verification.
    const refused: readonly Play[] = [
      { wallet: second },
      { wallet: second, identity: "bob", verification: madeUp },
    ];
    await scene.play();
    const way = await findWay(scene, { wallet: second, identity: "carol" });
    if ("refusal" in way) return void (yield way);
    for (const play of refused) {
      yield await scene.branch(async () => {
        const outcome = await scene.play(withEdit(play, way.edit));
        if (isAdmitted(outcome, way.gains)) return "held";
        const { address } = scene.target;
        const isKept = [...effectOf(outcome)].some(
          (mark) => mark === `ether ${address} +` || (mark.startsWith("slot ") && !mark.includes(address)),
        );
        if (!isKept) return "held";
        return {
          found: scene.found(
            `${scene.short} keeps what a refused person sends: revert, so that it goes back.`,
          ),
        };
      });
    }
  },
};

const usedUp: Attack = {
  name: "verification used up by a stranger",
  async *run(scene) {
    const { first, stranger } = scene.wallets;
    const way = await findWay(scene, {});
    if ("refusal" in way) return void (yield way);
    const verification = await scene.mint();
    const forged = { ...verification, signature: madeUp.signature };
    yield await scene.branch(async () => {
      const attempt = await scene.play({ wallet: stranger, verification: forged });
      if (!("done" in attempt)) return "held";
      const outcome = await scene.play({ verification, edit: way.edit });
      if (isAdmitted(outcome, way.gains)) return "held";
      return {
        found: scene.found(
          `${scene.short} lets anybody use up an identity without its verification: remember it only when it is verified, and revert otherwise.`,
        ),
      };
    });
    if (scene.sender !== undefined) yield* withoutSender(scene);
    if (scene.isTrusted) return;
    // Spend a verification for its wallet with arguments of a stranger, such as a voter's vote.
    const named = {
      what: "the verified wallet",
      apply: (call: Call) => ({ ...substitute(call, stranger, first), from: stranger }),
    };
    const seen: Outcome[] = [];
    for (const edit of [undefined, ...scene.edits]) {
      const play = withEdit({ wallet: stranger, verification, edit: named }, edit);
      const verdict = await scene.branch(async (): Promise<Verdict | undefined> => {
        const [simulated] = await scene.simulate(play, [undefined]);
        if (simulated === undefined || !("done" in simulated)) return edit === undefined ? "held" : undefined;
        const isOther = (other: Outcome) =>
          roundsOf(other) === roundsOf(simulated) &&
          overlap(effectOf(other), effectOf(simulated)) + overlap(effectOf(simulated), effectOf(other)) < 2;
        seen.push(simulated);
        if (!seen.some(isOther)) return undefined;
        await scene.play(play);
        return {
          found: scene.found(
            `${scene.short} lets anybody who sees a verification spend it for its wallet, with arguments of their own: verify msg.sender, or admit only a caller that you trust.`,
            { change: edit?.what },
          ),
        };
      });
      if (verdict !== undefined) yield verdict;
      if (seen.length === 0) return;
      if (typeof verdict === "object") return;
    }
  },
};

/** Makes the call of the trusted sender, as a stranger. */
async function* withoutSender(scene: Scene): AsyncIterable<Verdict> {
  const { first, stranger } = scene.wallets;
  const { address } = scene.target;
  const gains = await scene.ownGains({});
  if ("refusal" in gains) return void (yield gains);
  const [, data] = gains.done.inputs.find(([to]) => to === address) ?? [];
  if (data === undefined) return;
  const call: Call = { from: stranger, to: address, data };
  // A stranger who can only bring the same call, as a relay does, chooses nothing.
  const own = new Set([...gains.gains].filter((mark) => mark.includes(address)));
  const places = Array.from({ length: countOf(call, first) }, (_, at) =>
    substitute(call, first, stranger, at),
  );
  for (const changed of places) {
    yield await scene.branch(async () => {
      const what = `A stranger calls ${scene.entryPoint} for the first wallet, and names another one.`;
      if (!isAdmitted(await scene.send(what, changed), own)) return "held";
      return {
        found: scene.found(
          `${scene.short} believes anybody who calls it for a user, and lets anybody who sees a verification spend it with arguments of their own: admit only the caller that you trust.`,
        ),
      };
    });
  }
}

/** How many people claim, and how many of them at a time; fewer, if the test has to prepare each. */
const crowd = 1_000;
const group = 100;
const small = 60;
/** Gas that each claim may add to the next; a cold word of storage costs 2,100. */
const tolerated = 400n;

/** A claim that was sent for its gas. */
interface Spent {
  readonly gas: bigint;
  readonly step: Step;
}

/** Lets a crowd claim, with the recorded call and each person's wallet and verification in it. */
const growing: Attack = {
  name: "gas that grows",
  async *run(scene) {
    if (scene.isTrusted) return;
    const { first } = scene.wallets;
    const verification = await scene.mint();
    const call = await scene.branch(() => scene.draft({ verification }));
    if (call === undefined) return;
    const spend = async (one: Call, wallet: string, identity: string): Promise<Spent | undefined> => {
      const spent = await scene.stage.spend(one);
      const { from, to, data, value = 0n } = one;
      const what = `${wallet} claims as ${identity}.`;
      return (
        spent && { gas: spent.gas, step: { what, from, to, data, value: String(value), hash: spent.hash } }
      );
    };
    const copyFor = (wallet: string, theirs: SignedVerification): Call => {
      const own = substitute(call, first, wallet);
      const parts = ["identityHash", "signature"] as const;
      const signed = parts.reduce((one, part) => substitute(one, verification[part], theirs[part]), own);
      const timed = substitute(signed, toWord(verification.expiration), toWord(theirs.expiration));
      return { ...timed, from: wallet };
    };
    const all: Spent[] = [];
    for (let start = 0; start < crowd; start += group) {
      const people = Array.from({ length: group }, (_, i) => ({
        wallet: accountOf(`wallet ${start + i}`),
        identity: `person ${start + i}`,
      }));
      const verifications = await scene.mintAll(people);
      for (const [i, { wallet, identity }] of people.entries()) {
        const spent = await spend(copyFor(wallet, verifications[i] ?? madeUp), wallet, identity);
        if (spent !== undefined) all.push(spent);
        else if (all.length > 0) return void (yield judgeGrowth(scene, all, true));
        else return void (yield await growSlowly(scene, spend));
      }
      const verdict = judgeGrowth(scene, all, start + group === crowd);
      if (verdict !== "held") return void (yield verdict);
    }
    yield "held";
  },
};

/** Lets people claim whom the test prepares. */
async function growSlowly(
  scene: Scene,
  spend: (call: Call, wallet: string, identity: string) => Promise<Spent | undefined>,
): Promise<Verdict> {
  const all: Spent[] = [];
  for (let i = 0; i < small; ++i) {
    const [wallet, identity] = [accountOf(`wallet ${i}`), `person ${i}`];
    await scene.prepare(wallet);
    const call = await scene.draft({ wallet, identity });
    const spent = call && (await spend(call, wallet, identity));
    // Some have a place for so many people only.
    if (spent === undefined) break;
    all.push(spent);
  }
  return all.length < 3
    ? { refusal: "more people than the attack's wallets are refused" }
    : judgeGrowth(scene, all, true);
}

/** Compares the second claim, as the first may pay for what all share, with the last ones and, in the end, with each. */
function judgeGrowth(scene: Scene, all: readonly Spent[], isLast: boolean): Verdict {
  const [, early] = all;
  if (early === undefined) return "held";
  const most = early.gas + BigInt(Math.max(all.length, small)) * tolerated;
  const isDear = ({ gas }: Spent) => gas >= most;
  const late = all.slice(-10).every(isDear) ? all.at(-1) : isLast ? all.slice(2).findLast(isDear) : undefined;
  if (late === undefined) return "held";
  const message = `${scene.short} costs ${early.gas} gas for the second person, and ${late.gas} for the ${all.indexOf(late) + 1}th, until nobody can pay for it: look identities up in a mapping, not in a list.`;
  return { found: { message, transactions: [late.step] } };
}

const toWord = (number: number) => `0x${number.toString(16).padStart(64, "0")}`;

export const costs: readonly Attack[] = [kept, usedUp, growing];
