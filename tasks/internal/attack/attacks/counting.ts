// Does one person count twice?
import { id } from "ethers";
import { type Attack, type Found, firstOf, found, short } from "../attack.ts";
import { type Effect, gainsOfOne, isTwice, overlap } from "../effect.ts";
import { leavesOf } from "../functions.ts";
import { type Claim, effectOf, madeUp, type Ready, type Scene } from "../scene.ts";
import { type Done, identityUsed, month, type Outcome } from "../stage.ts";

const alice = "alice";

export const counting: readonly Attack[] = [
  {
    name: "same wallet twice",
    async run(scene, entry) {
      // A verification of its own, for what remembers verifications instead of identities.
      const { isAdmitted } = await comeAgain(scene, entry, { wallet: scene.wallets.first }, 2);
      // Who pays for more gets more, which is no second identity.
      if (!isAdmitted || (await pays(scene, entry))) return undefined;
      return found(
        scene,
        `${short(entry)} admits the same wallet with the same identity twice: remember the identity. Extend VerifyOnce, and call _verifyOnce.`,
      );
    },
  },
  {
    name: "second wallet",
    async run(scene, entry) {
      const { isAdmitted } = await comeAgain(scene, entry, { wallet: scene.wallets.second });
      if (!isAdmitted) return undefined;
      return found(
        scene,
        `${short(entry)} admits a second wallet of the same person: remember the identity hash, not the wallet. Extend VerifyOnce, and call _verifyOnce.`,
      );
    },
  },
  {
    name: "made up after a true one",
    async run(scene, entry) {
      const claim = { wallet: scene.wallets.first, verification: madeUp };
      if (!(await comeAgain(scene, entry, claim)).isAdmitted) return undefined;
      return found(
        scene,
        `${short(entry)} checks a wallet's first verification only, and then admits made-up ones: verify each.`,
      );
    },
  },
  { name: "in one transaction", run: inOneTransaction },
  {
    name: "round of the caller's choice",
    async run(scene, entry) {
      const { first, second } = scene.wallets;
      const free = leavesOf(entry.fragment.inputs).filter(({ path }) => !entry.places.has(path));
      return firstOf(free, ({ path, type }) => {
        const known = narrow[type.type];
        // A contract that checks the round knows none of the made-up ones; of a choice, one counts.
        const values = isWide(type.type) ? [0, 1, 2, 3].map((i) => made(type.type, i)) : (known ?? []);
        return scene.fresh(async () => {
          const rounds: string[] = [];
          for (const [i, value] of values.entries()) {
            const at = new Map([...(entry.choice.at ?? []), [path, value]]);
            const wallet = i % 2 === 0 ? first : second;
            const outcome = await scene.claim(entry, { wallet, identity: alice, choice: { at } });
            if (effectOf(outcome).size > 0) rounds.push(roundsOf(outcome));
          }
          const name = type.name || type.type;
          if (known === undefined && rounds.length > 0 && rounds.length === values.length) {
            return found(
              scene,
              `${short(entry)} admits one person again for each new ${name}: whoever calls chooses it freely. Check that it exists before you verify.`,
            );
          }
          // Rounds of its own are meant so.
          if (known === undefined || rounds.length < 2 || new Set(rounds).size > 1) return undefined;
          return found(
            scene,
            `${short(entry)} admits one person once for each ${name}, which whoever calls chooses: remember the identity whatever it is, or give _verifyOnce a round.`,
          );
        });
      });
    },
  },
  {
    name: "across entry points",
    async run(scene, entry) {
      const { first, second } = scene.wallets;
      return firstOf(scene.entryPoints, (other) =>
        scene.fresh(async () => {
          if (other === entry) return undefined;
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
        }),
      );
    },
  },
  {
    name: "after some time",
    async run(scene, entry) {
      const { one, again, isAdmitted } = await comeAgain(
        scene,
        entry,
        { wallet: scene.wallets.second },
        month,
      );
      if (!isAdmitted) return undefined;
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
      const { value } = entry.choice;
      // Who pays too much may be called with the change.
      return firstOf(entry.payable ? [value, value + 1n] : [value], (paid) =>
        scene.branch(async () => {
          const choice = { value: paid };
          const claim = await scene.callOf(entry, { wallet: intruder, identity: alice, choice });
          await scene.through(intruder, first, claim, claim.data);
          if (!(await scene.hasReentered(intruder))) return undefined;
          return found(
            scene,
            `${short(entry)} can be re-entered by whoever receives what it sends, and counts a person twice: call _verifyOnce first, before anything is sent.`,
          );
        }),
      );
    },
  },
];

/** Lets a person be counted and, after some seconds, come again. */
async function comeAgain(scene: Scene, entry: Ready, claim: Omit<Claim, "identity">, seconds = 0) {
  const gains = await scene.gains(entry, claim.wallet);
  const one = await scene.claim(entry, { wallet: scene.wallets.first, identity: alice });
  if (seconds > 0) await scene.stage.pass(seconds);
  const again = await scene.claim(entry, { identity: alice, ...claim });
  return { one, again, isAdmitted: gains.size > 0 && scene.isAdmitted(again, gains) };
}

/** Counts a person twice in a list of verifications, and in the batch of a wallet that delegates to code (EIP-7702). */
async function inOneTransaction(scene: Scene, entry: Ready): Promise<Found | undefined> {
  const { first, second, stranger } = scene.wallets;
  const gains = await scene.gains(entry, first);
  const claim = { wallet: first, identity: alice };
  const once = await scene.fresh(() => scene.claim(entry, claim));
  if (gains.size === 0 || !("done" in once)) return undefined;
  const isMore = ({ done }: { done: Done }, wallet: string, own: Effect) =>
    wallet === first
      ? isTwice(gains, once.done.amounts, done.amounts)
      : own.size > 0 && overlap(own, done.effect) >= 0.5;
  const valid = await scene.mint(claim);
  const isListed = [...entry.places.keys()].some((path) => path.includes("item"));
  const listed = await firstOf(isListed ? [valid, madeUp] : [], (next) =>
    scene.branch(async () => {
      const outcome = await scene.claim(entry, { ...claim, choice: { items: 2, next } });
      if (!("done" in outcome) || !isMore(outcome, first, gains)) return undefined;
      const what = next === valid ? "the same verification twice" : "a made-up verification after a true one";
      return found(
        scene,
        `${short(entry)} counts ${what} in one list: verify and remember each before the next.`,
      );
    }),
  );
  if (listed !== undefined) return listed;
  const isFree = !(await pays(scene, entry));
  await scene.delegate(first, "wallet/BatchExecutor");
  for (const wallet of [second, stranger]) await scene.delegate(wallet, "attack/Intruder");
  const plans = [
    ...(isFree ? [{ wallet: first }] : []),
    { wallet: second },
    { wallet: stranger, verification: madeUp },
    { wallet: stranger, verification: valid },
  ];
  return firstOf(plans, async (plan) => {
    const own = gainsOfOne(await scene.gains(entry, plan.wallet), gains);
    const calls = [claim, { identity: alice, ...plan }].map((each) => scene.callOf(entry, each));
    return scene.branch(async () => {
      const outcome = await scene.batch(await Promise.all(calls));
      if (!("done" in outcome) || !isMore(outcome, plan.wallet, own)) return undefined;
      return found(
        scene,
        `${short(entry)} admits again in one transaction whom it has just admitted: remember the identity in storage, and verify each time.`,
      );
    });
  });
}

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

/** The values of a choice. */
const narrow: Readonly<Record<string, readonly unknown[]>> = { bool: [true, false], uint8: [0, 1, 2] };

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
