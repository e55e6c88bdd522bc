// Does a claim cost more, the more people have claimed?

import type { Step } from "hardhat-identity/internal/testing/attack";
import { type ContractAttack, short } from "../attack.ts";
import type { Claim, Found, Ready, Scene } from "../scene.ts";
import { accountOf } from "../stage.ts";

/** How many people claim, and how many of them at a time. */
const crowd = 1_000;
const group = 100;
/** Gas that each claim may add to the next; a cold word of storage costs 2,100. */
const tolerated = 400n;

/** A claim that was sent, and the gas that it used. */
interface Spent {
  readonly gas: bigint;
  readonly step: Step;
}

/** Lets a crowd claim, by each entry point in turn. */
export const growing: ContractAttack = {
  name: "gas that grows",
  async run(scene) {
    const all = new Map<Ready, Spent[]>(scene.entryPoints.map((entry) => [entry, []]));
    let open = [...all.keys()];
    let isPoor = true;
    const claim = async (entry: Ready, person: Claim & { wallet: string }): Promise<Spent | undefined> => {
      if (!isPoor) await scene.equip(person.wallet);
      const spent = await scene.spend(entry, person);
      if (spent !== undefined || !isPoor) return spent;
      // It takes tokens, or whom somebody admits.
      isPoor = false;
      return claim(entry, person);
    };
    for (let first = 0; first < crowd && open.length > 0; first += group) {
      const people = Array.from({ length: group }, (_, i) => ({
        wallet: accountOf(`wallet ${first + i}`),
        identity: `person ${first + i}`,
      }));
      const verifications = await scene.mintAll(people);
      for (const [i, person] of people.entries()) {
        const entry = open[i % open.length];
        if (entry === undefined) break;
        const spent = await claim(entry, { ...person, verification: verifications[i] });
        // Some have a place for so many people only.
        if (spent === undefined) open = open.filter((each) => each !== entry);
        else all.get(entry)?.push(spent);
      }
      const isLast = first + group === crowd;
      const shown = [...all].flatMap(([entry, spent]) => judgeGrowth(scene, entry, spent, isLast));
      if (shown.length > 0) return shown;
    }
    return [];
  },
};

/** Compares the second claim, as the first may pay for what all share, with the last ones and, in the end, with each. */
function judgeGrowth(scene: Scene, entry: Ready, spent: readonly Spent[], isLast: boolean): Found[] {
  const [, early] = spent;
  if (early === undefined) return [];
  const most = early.gas + BigInt(Math.max(spent.length, group)) * tolerated;
  const isDear = ({ gas }: Spent) => gas >= most;
  const late = spent.slice(-10).every(isDear) ? spent.at(-1) : isLast ? spent.findLast(isDear) : undefined;
  if (late === undefined) return [];
  const message = `${short(entry)} costs ${early.gas} gas for the second person, and ${late.gas} for the ${spent.indexOf(late) + 1}th, until nobody can pay for it: look identities up in a mapping, not in a list.`;
  return [{ ...scene.found(message, entry.name), transactions: [late.step] }];
}
