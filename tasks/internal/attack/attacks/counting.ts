// Does one person count twice?
import { id } from "ethers";
import { type Attack, found, short } from "../attack.ts";
import { overlap } from "../effect.ts";
import { leavesOf } from "../functions.ts";
import { effectOf, type Ready, type Scene } from "../scene.ts";
import { identityUsed, type Outcome } from "../stage.ts";

const alice = "alice";
/** Thirty days, in seconds. */
export const month = 30 * 24 * 60 * 60;

export const counting: readonly Attack[] = [
  {
    name: "same wallet twice",
    async run(scene, entry) {
      const { first } = scene.wallets;
      const gains = await scene.gains(entry, first);
      await scene.claim(entry, { wallet: first, identity: alice });
      // A verification of its own, for what remembers verifications instead of identities.
      await scene.stage.pass(2);
      const again = await scene.claim(entry, { wallet: first, identity: alice });
      // Who pays for more gets more, which is no second identity.
      if (gains.size === 0 || !scene.isAdmitted(again, gains) || (await pays(scene, entry))) return undefined;
      return found(
        scene,
        `${short(entry)} admits the same wallet with the same identity twice: remember the identity. Extend VerifyOnce, and call _verifyOnce.`,
      );
    },
  },
  {
    name: "second wallet",
    async run(scene, entry) {
      const { first, second } = scene.wallets;
      const gains = await scene.gains(entry, second);
      await scene.claim(entry, { wallet: first, identity: alice });
      const again = await scene.claim(entry, { wallet: second, identity: alice });
      if (gains.size === 0 || !scene.isAdmitted(again, gains)) return undefined;
      return found(
        scene,
        `${short(entry)} admits a second wallet of the same person: remember the identity hash, not the wallet. Extend VerifyOnce, and call _verifyOnce.`,
      );
    },
  },
  {
    name: "made up after a true one",
    async run(scene, entry) {
      const { first } = scene.wallets;
      const gains = await scene.gains(entry, first);
      await scene.claim(entry, { wallet: first, identity: alice });
      const signature = `0x${"11".repeat(32)}${"22".repeat(32)}1b` as const;
      const verification = {
        identityHash: id("nobody") as `0x${string}`,
        expiration: 2 ** 40 - 1,
        signature,
      };
      const again = await scene.claim(entry, { wallet: first, identity: alice, verification });
      if (gains.size === 0 || !scene.isAdmitted(again, gains)) return undefined;
      return found(
        scene,
        `${short(entry)} checks a wallet's first verification only, and then admits made-up ones: verify each.`,
      );
    },
  },
  {
    name: "round of the caller's choice",
    async run(scene, entry) {
      const { first, second } = scene.wallets;
      const free = leavesOf(entry.fragment.inputs).filter(
        ({ path, type }) => !entry.places.has(path) && isWide(type.type),
      );
      for (const { path, type } of free) {
        const seen = await scene.fresh(async () => {
          // A contract that checks the round knows none of these.
          for (const [i, wallet] of [first, second, first, second].entries()) {
            const at = new Map([...(entry.choice.at ?? []), [path, made(type.type, i)]]);
            const outcome = await scene.claim(entry, { wallet, identity: alice, choice: { at } });
            if (effectOf(outcome).size === 0) return undefined;
          }
          return found(
            scene,
            `${short(entry)} admits one person again for each new ${type.name || type.type}: whoever calls chooses it freely. Check that it exists before you verify.`,
          );
        });
        if (seen !== undefined) return seen;
      }
      return undefined;
    },
  },
  {
    name: "across entry points",
    async run(scene, entry) {
      const { first, second } = scene.wallets;
      for (const other of scene.entryPoints) {
        if (other === entry) continue;
        const seen = await scene.fresh(async () => {
          const gains = await scene.gains(other, second);
          const own = await scene.gains(entry, second);
          const one = await scene.claim(entry, { wallet: first, identity: alice });
          const two = await scene.claim(other, { wallet: second, identity: alice });
          if (gains.size === 0 || !scene.isAdmitted(two, gains)) return undefined;
          // Two functions that count in rounds of their own, for different things, are meant so.
          const areRounds = countsInRound(one) && countsInRound(two);
          if (areRounds && overlap(withoutCount(gains), withoutCount(own)) < 0.5) return undefined;
          return found(
            scene,
            `${short(other)} admits a person who has been counted by ${short(entry)}: let both remember identities in one place, as _verifyOnce does.`,
            other.name,
          );
        });
        if (seen !== undefined) return seen;
      }
      return undefined;
    },
  },
  {
    name: "after some time",
    async run(scene, entry) {
      const { first, second } = scene.wallets;
      const gains = await scene.gains(entry, second);
      const one = await scene.claim(entry, { wallet: first, identity: alice });
      await scene.stage.pass(month);
      const again = await scene.claim(entry, { wallet: second, identity: alice });
      if (gains.size === 0 || !scene.isAdmitted(again, gains)) return undefined;
      // A round for each day or season says so.
      if (roundsOf(one) !== roundsOf(again)) return undefined;
      return found(
        scene,
        `${short(entry)} forgets an identity as time passes: thirty days later, it counts again. Remember it for good, or give _verifyOnce a round.`,
      );
    },
  },
  {
    name: "re-entered",
    async run(scene, entry) {
      const { first } = scene.wallets;
      const { intruder } = await scene.intrude();
      const claim = await scene.callOf(entry, { wallet: intruder, identity: alice });
      await scene.through(intruder, first, claim, claim.data);
      if (!(await scene.hasReentered(intruder))) return undefined;
      return found(
        scene,
        `${short(entry)} can be re-entered by whoever receives what it sends, and counts a person twice: call _verifyOnce first, before anything is sent.`,
      );
    },
  },
];

/** Whether a claim costs ether or tokens. */
async function pays(scene: Scene, entry: Ready): Promise<boolean> {
  return scene.fresh(async () => {
    const { first } = scene.wallets;
    const effect = effectOf(await scene.claim(entry, { wallet: first, identity: alice }));
    const own = `slot ${scene.target.address} `;
    return [...effect].some(
      (mark) =>
        mark === `ether ${scene.target.address} +` ||
        (mark.startsWith("slot ") && !mark.startsWith(own) && mark.endsWith("-")),
    );
  });
}

const isWide = (type: string) =>
  /^(u?int(24|32|40|48|56|64|72|80|88|96|1\d\d|2\d\d)|bytes32|bytes16|string)$/.test(type);

/** A value that no contract knows. */
function made(type: string, i: number): unknown {
  const word = id(`a round that nobody opened, ${i}`);
  if (type === "string") return word;
  if (type.startsWith("bytes")) return word.slice(0, 2 + 2 * Number(type.slice(5)));
  const bits = BigInt(/\d+$/.exec(type)?.[0] ?? 256) - 1n;
  return BigInt(word) % (1n << bits);
}

/** The rounds in which a transaction counted an identity, by the event of `VerifyOnce`. */
export const roundsOf = (outcome: Outcome): string => ("done" in outcome ? outcome.done.rounds.join() : "");
const countsInRound = (outcome: Outcome) => /[1-9a-f]/.test(roundsOf(outcome).replaceAll("0x", ""));
const withoutCount = (marks: ReadonlySet<string>) =>
  new Set([...marks].filter((mark) => !mark.endsWith(identityUsed)));
