// What does a refusal cost?
import { type Attack, firstOf, found, short } from "../attack.ts";
import { effectOf, madeUp } from "../scene.ts";

const alice = "alice";

export const refusing: readonly Attack[] = [
  {
    name: "value kept on refusal",
    async run(scene, entry) {
      const { first, second } = scene.wallets;
      const { address } = scene.target;
      const gains = await scene.gains(entry, second);
      // Whoever has been counted, and whoever holds no verification.
      const refused = [{ identity: alice }, { identity: "bob", verification: madeUp }];
      await scene.claim(entry, { wallet: first, identity: alice });
      return firstOf(refused, (claim) =>
        scene.branch(async () => {
          const outcome = await scene.claim(entry, { wallet: second, ...claim });
          if (scene.isAdmitted(outcome, gains)) return undefined;
          const keeps = [...effectOf(outcome)].some(
            (mark) => mark === `ether ${address} +` || (mark.startsWith("slot ") && !mark.includes(address)),
          );
          if (!keeps) return undefined;
          return found(
            scene,
            `${short(entry)} keeps what a refused person sends: revert, so that it goes back.`,
          );
        }),
      );
    },
  },
  {
    name: "used up by a stranger",
    async run(scene, entry) {
      const { first, stranger } = scene.wallets;
      const gains = await scene.gains(entry, first);
      const verification = await scene.mint({ wallet: first, identity: alice });
      const forged = { ...verification, signature: madeUp.signature };
      const attempt = await scene.claim(entry, { wallet: stranger, identity: alice, verification: forged });
      if (!("done" in attempt)) return undefined;
      const own = await scene.claim(entry, { wallet: first, identity: alice, verification });
      if (scene.isAdmitted(own, gains)) return undefined;
      return found(
        scene,
        `${short(entry)} lets anybody use up an identity without its verification: remember it only when it is verified, and revert otherwise.`,
      );
    },
  },
];
