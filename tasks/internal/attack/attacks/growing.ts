// Does a claim cost more, the more people have claimed?
import { type Attack, type Found, found, short } from "../attack.ts";
import type { Ready, Scene, Step } from "../scene.ts";
import { accountOf } from "../stage.ts";

/** After how many people the cost is judged; ten tell what does not work at all. */
const crowds = [10, 100, 1_000];
/** Gas that each claim may add to the next; a cold word of storage costs 2,100. */
const tolerated = 400n;

/** A claim that was sent, and the gas that it used. */
interface Spent {
  readonly gas: bigint;
  readonly step: Step;
}

export const growing: Attack = {
  name: "gas that grows",
  async run(scene, entry) {
    const spent: Spent[] = [];
    for (const crowd of crowds) {
      while (spent.length < crowd) {
        const more = await claimAll(scene, entry, spent.length, Math.min(crowd, spent.length + 100));
        spent.push(...more);
        if (more.length === 0) return judge(scene, entry, spent);
      }
      const shown = judge(scene, entry, spent);
      if (shown !== undefined) return shown;
    }
    return undefined;
  },
};

/** Compares the claim that cost most with that of the second person; the first may pay for what all share. */
function judge(scene: Scene, entry: Ready, spent: readonly Spent[]): Found | undefined {
  const early = spent[1]?.gas ?? 0n;
  const all = spent.map(({ gas }) => gas);
  const late = all.reduce((most, gas) => (gas > most ? gas : most), 0n);
  const at = all.indexOf(late);
  // Ten tell too little.
  if (spent.length <= 10 || late < early + BigInt(spent.length) * tolerated) return undefined;
  return {
    ...found(
      scene,
      `${short(entry)} costs ${early} gas for the second person, and ${late} for the ${at + 1}th, until nobody can pay for it: look identities up in a mapping, not in a list.`,
    ),
    transactions: spent.slice(at, at + 1).map(({ step }) => step),
  };
}

/** Lets people claim who come after others; answers the claims up to the first that is refused. */
async function claimAll(scene: Scene, entry: Ready, first: number, end: number): Promise<Spent[]> {
  const people = Array.from({ length: end - first }, (_, i) => ({
    wallet: accountOf(`wallet ${first + i}`),
    identity: `person ${first + i}`,
  }));
  const verifications = await scene.mintAll(people);
  const spent: Spent[] = [];
  for (const [i, person] of people.entries()) {
    if (scene.tokens.length > 0 || scene.admissions.length > 0) await scene.equip(person.wallet);
    const step = await scene.spend(entry, { ...person, verification: verifications[i] });
    if (step === undefined) break;
    spent.push(step);
  }
  return spent;
}
