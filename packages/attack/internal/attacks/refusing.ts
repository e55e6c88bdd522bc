// What does a refusal cost?
import { type Attack, firstOf, short } from "../attack.ts";
import { overlap } from "../effect.ts";
import { addressesOf } from "../functions.ts";
import { choices } from "../invent.ts";
import { effectOf, type Found, madeUp, type Ready, type Scene, valuesAt } from "../scene.ts";
import type { Outcome } from "../stage.ts";
import { roundsOf } from "./counting.ts";

export const refusing: readonly Attack[] = [
  {
    name: "value kept on refusal",
    async run(scene, entry) {
      const { second } = scene.wallets;
      const { address } = scene.target;
      const gains = await scene.gains(entry, second);
      // A person who was counted already, and one without a valid verification.
      const refused = [{}, { identity: "bob", verification: madeUp }];
      await scene.claim(entry);
      return firstOf(refused, (claim) =>
        scene.branch(async () => {
          const outcome = await scene.claim(entry, { wallet: second, ...claim });
          if (scene.isAdmitted(outcome, gains)) return undefined;
          const keeps = [...effectOf(outcome)].some(
            (mark) => mark === `ether ${address} +` || (mark.startsWith("slot ") && !mark.includes(address)),
          );
          if (!keeps) return undefined;
          return scene.found(
            `${short(entry)} keeps what a refused person sends: revert, so that it goes back.`,
          );
        }),
      );
    },
  },
  {
    name: "verification used up by a stranger",
    async run(scene, entry) {
      const { stranger } = scene.wallets;
      const gains = await scene.gains(entry);
      const verification = await scene.mint();
      const forged = { ...verification, signature: madeUp.signature };
      const attempt = await scene.claim(entry, { wallet: stranger, verification: forged });
      const own = "done" in attempt && (await scene.claim(entry, { verification }));
      if (!own || scene.isAdmitted(own, gains)) return spendFor(scene, entry);
      return scene.found(
        `${short(entry)} lets anybody use up an identity without its verification: remember it only when it is verified, and revert otherwise.`,
      );
    },
  },
];

/** Spends a verification for its wallet with arguments of a stranger, such as a voter's vote. */
async function spendFor(scene: Scene, entry: Ready): Promise<Found | undefined> {
  const { first, stranger } = scene.wallets;
  const addresses = addressesOf(entry);
  if (entry.sender !== undefined || addresses.length === 0) return undefined;
  const verification = await scene.mint();
  const at = valuesAt(
    entry,
    addresses.map(({ path }) => [path, first]),
  );
  const { value } = entry.choice;
  const seen: Outcome[] = [];
  return firstOf(choices(entry).slice(0, 8), ({ number, flag }) =>
    scene.fresh(async () => {
      const choice = { at, value, number, ...(flag !== undefined && { flag }) };
      const outcome = await scene.claim(entry, { wallet: stranger, verification, choice });
      if (!("done" in outcome)) return undefined;
      const isOther = (other: Outcome) =>
        roundsOf(other) === roundsOf(outcome) &&
        overlap(effectOf(other), effectOf(outcome)) + overlap(effectOf(outcome), effectOf(other)) < 2;
      seen.push(outcome);
      if (!seen.some(isOther)) return undefined;
      return scene.found(
        `${short(entry)} lets anybody who sees a verification spend it for its wallet, with arguments of their own: verify msg.sender, or admit only a caller that you trust.`,
      );
    }),
  );
}
