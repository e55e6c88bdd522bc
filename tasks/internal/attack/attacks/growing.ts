// Does a claim cost more, the more people have claimed?
import { type Attack, found, short } from "../attack.ts";
import { accountOf } from "../stage.ts";

/** How many people claim. */
const crowd = 100;
/** Gas that each claim may add to the next; a cold word of storage costs 2,100. */
const tolerated = 400n;

export const growing: Attack = {
  name: "gas that grows",
  async run(scene, entry) {
    const used: bigint[] = [];
    for (let i = 0; i < crowd; i++) {
      const wallet = accountOf(`wallet ${i}`);
      if (i === 0 || scene.tokens.length > 0) await scene.equip(wallet);
      const outcome = await scene.claim(entry, { wallet, identity: `person ${i}` });
      if (!("done" in outcome)) return undefined;
      used.push(outcome.done.gasUsed);
      // Ten tell whether a hundred are worth it.
      if (i === 9 && (used[9] ?? 0n) < (used[1] ?? 0n) + 8n * tolerated) return undefined;
    }
    const [, early = 0n] = used;
    const late = used.at(-1) ?? 0n;
    if (late < early + BigInt(crowd) * tolerated) return undefined;
    return {
      ...found(
        scene,
        `${short(entry)} costs ${early} gas for the second person, and ${late} for the ${crowd}th, until nobody can pay for it: look identities up in a mapping, not in a list.`,
      ),
      transactions: scene.steps.slice(-1),
    };
  },
};
