// What does a refusal cost, and what does a claim cost once many people have come?
import { accountOf } from "../../wallets.ts";
import { substitute } from "../calldata.ts";
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
  const { stranger } = scene.wallets;
  const { address } = scene.target;
  const gains = await scene.ownGains({});
  if ("refusal" in gains) return void (yield gains);
  const call = gains.done.inputs.find(([to]) => to === address);
  if (call === undefined) return;
  yield await scene.branch(async () => {
    const [, data] = call;
    const outcome = await scene.send(`A stranger calls ${scene.entryPoint} for the first wallet.`, {
      from: stranger,
      to: address,
      data,
    });
    if (!isAdmitted(outcome, new Set([...gains.gains].filter((mark) => mark.includes(address)))))
      return "held";
    return {
      found: scene.found(
        `${scene.short} believes anybody who calls it for a user, and lets anybody who sees a verification spend it with arguments of their own: admit only the caller that you trust.`,
      ),
    };
  });
}

/** How many people claim, and how many of them at a time. */
const crowd = 1_000;
const group = 100;
/** Gas that each claim may add to the next; a cold word of storage costs 2,100. */
const tolerated = 400n;

/** Lets a crowd claim, with the recorded call and each person's wallet and verification in it. */
const growing: Attack = {
  name: "gas that grows",
  async *run(scene) {
    const { first } = scene.wallets;
    const verification = await scene.mint();
    const call = await scene.branch(() => scene.draft({ verification }));
    if (call === undefined || scene.sender !== undefined) return;
    const spent: {
      readonly gas: bigint;
      readonly what: string;
      readonly call: Call;
      readonly hash: string;
    }[] = [];
    for (let start = 0; start < crowd; start += group) {
      const people = Array.from({ length: group }, (_, i) => ({
        wallet: accountOf(`wallet ${start + i}`),
        identity: `person ${start + i}`,
      }));
      const verifications = await scene.mintAll(people);
      for (const [i, { wallet, identity }] of people.entries()) {
        const theirs = verifications[i] ?? madeUp;
        const own = {
          ...substitute(call, first, wallet),
          from: call.from === first.toLowerCase() || call.from === first ? wallet : call.from,
        };
        const data = replaceAll(own.data, [
          [verification.identityHash, theirs.identityHash],
          [verification.signature, theirs.signature],
          [toWord(verification.expiration), toWord(theirs.expiration)],
        ]);
        const one = { ...own, data };
        const result = await scene.stage.spend(one);
        // Some need a place on a list, or tokens, or have a place for so many people only.
        if (result === undefined) {
          const [early] = spent;
          if (early === undefined) yield { refusal: "people whom the test has not prepared are refused" };
          else yield "held";
          return;
        }
        spent.push({ ...result, what: `${scene.nameOf(wallet)} claims as ${identity}.`, call: one });
      }
      const [, early] = spent;
      if (early === undefined) return;
      const most = early.gas + BigInt(Math.max(spent.length, group)) * tolerated;
      const isDear = ({ gas }: { readonly gas: bigint }) => gas >= most;
      const isLast = start + group === crowd;
      const late = spent.slice(-10).every(isDear)
        ? spent.at(-1)
        : isLast
          ? spent.findLast(isDear)
          : undefined;
      if (late === undefined) continue;
      const message = `${scene.short} costs ${early.gas} gas for the second person, and ${late.gas} for the ${spent.indexOf(late) + 1}th, until nobody can pay for it: look identities up in a mapping, not in a list.`;
      const { from, to, data, value = 0n } = late.call;
      const step = { what: late.what, from, to, data, value: String(value), hash: late.hash };
      return void (yield { found: { message, transactions: [step] } });
    }
    yield "held";
  },
};

const toWord = (number: number) => `0x${number.toString(16).padStart(64, "0")}`;
const replaceAll = (data: string, pairs: readonly (readonly [string, string])[]) =>
  pairs.reduce(
    (all, [from, to]) => all.replaceAll(from.slice(2).toLowerCase(), to.slice(2).toLowerCase()),
    data.toLowerCase(),
  );

export const costs: readonly Attack[] = [kept, usedUp, growing];
