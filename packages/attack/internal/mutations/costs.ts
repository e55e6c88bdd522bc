// The costs of a refusal, and of a claim once many people have come.
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import type { Step } from "hardhat-identity/internal/testing/attack";
import { accountOf } from "../../wallets.ts";
import { substitute, withVerification } from "../calldata.ts";
import { effectOf, isAdmitted } from "../gains.ts";
import { type Attack, findWay, type Verdict, verdictOf } from "../judge.ts";
import { madeUp, type Play, withEdit } from "../play.ts";
import type { Scene } from "../scene.ts";
import type { Call } from "../stage.ts";
import { usedUp } from "./spending.ts";

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
      yield await verdictOf(scene, async () => {
        const outcome = await scene.play(withEdit(play, way.edit));
        if (isAdmitted(outcome, way.gains)) return undefined;
        const { address } = scene.target;
        const isKept = [...effectOf(outcome)].some(
          (mark) => mark === `ether ${address} +` || (mark.startsWith("slot ") && !mark.includes(address)),
        );
        if (!isKept) return undefined;
        return `${scene.short} keeps what a refused person sends: revert, so that it goes back.`;
      });
    }
  },
};

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
      return { ...withVerification(own, verification, theirs), from: wallet };
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
  const dearest = isLast ? all.slice(2).findLast(isDear) : undefined;
  const late = all.slice(-10).every(isDear) ? all.at(-1) : dearest;
  if (late === undefined) return "held";
  const message = `${scene.short} costs ${early.gas} gas for the second person, and ${late.gas} for the ${all.indexOf(late) + 1}th, until nobody can pay for it: look identities up in a mapping, not in a list.`;
  return { found: { message, transactions: [late.step] } };
}

export const costs: readonly Attack[] = [kept, usedUp, growing];
