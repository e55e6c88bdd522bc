// Does one person count twice?
import { id } from "ethers";
import { type Attack, firstOf, short, type Trial, tryClaim } from "../attack.ts";
import { type Effect, gainsOfOne, isTwice, overlap } from "../effect.ts";
import { freeLeavesOf, type Leaf } from "../functions.ts";
import { effectOf, type Found, madeUp, type Ready, type Scene, valuesAt } from "../scene.ts";
import { type Done, identityUsed, month, type Outcome } from "../stage.ts";

/** The first two show whether wallets or identities are remembered. */
const returns: readonly Trial[] = [
  {
    name: "same wallet twice",
    isAgain: true,
    // Later, it is another verification, for what remembers those instead of identities.
    after: 2,
    means:
      "admits the same wallet with the same identity twice: remember the identity. Extend VerifyOnce, and call _verifyOnce.",
    // A person who pays for more gets more, without a second identity.
    isMeant: pays,
  },
  {
    name: "second wallet",
    isAgain: true,
    claim: ({ wallets }) => ({ wallet: wallets.second }),
    means:
      "admits a second wallet of the same person: remember the identity hash, not the wallet. Extend VerifyOnce, and call _verifyOnce.",
  },
  {
    name: "made-up verification after a true one",
    isAgain: true,
    claim: () => ({ verification: madeUp }),
    means: "checks a wallet's first verification only, and then admits made-up ones: verify each.",
  },
  {
    name: "same person after some time",
    isAgain: true,
    claim: ({ wallets }) => ({ wallet: wallets.second }),
    after: month,
    means:
      "forgets an identity as time passes: thirty days later, it counts again. Remember it for good, or give _verifyOnce a round.",
    // A round for each day or season says so.
    isMeant: async (_scene, _entry, one, again) => roundsOf(one) !== roundsOf(again),
  },
];

export const counting: readonly Attack[] = [
  ...returns.map(tryClaim),
  { name: "twice in one transaction", run: inOneTransaction },
  {
    name: "round of the caller's choice",
    async run(scene, entry) {
      return firstOf(freeLeavesOf(entry), async (leaf) => {
        const { type } = leaf.type;
        const known = narrow[type] ?? [];
        const unknown = isWide(type) ? [0, 1, 2, 3].map((i) => made(type, i)) : [];
        const shown = await firstOf([known, unknown], (values) =>
          scene.fresh(() => choose(scene, entry, leaf, values, values === unknown)),
        );
        return shown ?? firstOf(known, (value) => scene.fresh(() => repeat(scene, entry, leaf, value)));
      });
    },
  },
  {
    name: "same person across entry points",
    async run(scene, entry) {
      const { second } = scene.wallets;
      return firstOf(scene.entryPoints, (other) =>
        scene.fresh(async () => {
          if (other === entry) return undefined;
          const gains = await scene.gains(other, second);
          const own = await scene.gains(entry, second);
          const one = await scene.claim(entry);
          const two = await scene.claim(other, { wallet: second });
          if (gains.size === 0 || !scene.isAdmitted(two, gains)) return undefined;
          // Two functions that count in rounds of their own, for different things, are meant so.
          const areRounds = countsInRound(one) && countsInRound(two);
          if (areRounds && overlap(withoutCount(gains), withoutCount(own)) < 0.5) return undefined;
          return scene.found(
            `${short(other)} admits a person who has been counted by ${short(entry)}: let both remember identities in one place, as _verifyOnce does.`,
            other.name,
          );
        }),
      );
    },
  },
  {
    name: "re-entered call",
    // A caller who pays too much may be called back with the change.
    run: (scene, entry) =>
      firstOf(entry.payable ? [0n, 1n] : [0n], (more) => scene.branch(() => reenter(scene, entry, more))),
  },
];

/** Lets a person choose one value after the other, with two wallets. */
async function choose(
  scene: Scene,
  entry: Ready,
  { path, type }: Leaf,
  values: readonly unknown[],
  isMade: boolean,
): Promise<Found | undefined> {
  const { first, second } = scene.wallets;
  const rounds: string[] = [];
  for (const [i, value] of values.entries()) {
    const at = valuesAt(entry, [[path, value]]);
    const wallet = i % 2 === 0 ? first : second;
    const outcome = await scene.claim(entry, { wallet, choice: { at } });
    if (effectOf(outcome).size > 0) rounds.push(roundsOf(outcome));
  }
  const name = type.name || type.type;
  // A contract that checks the round knows none of the made-up ones.
  if (isMade) {
    if (rounds.length === 0 || rounds.length < values.length) return undefined;
    return scene.found(
      `${short(entry)} admits one person again for each new ${name}, which the caller chooses freely. Check that it exists before you verify.`,
    );
  }
  // It is no fault to count only one choice, or to count in a round for each choice.
  if (rounds.length < 2 || new Set(rounds).size > 1) return undefined;
  return scene.found(
    `${short(entry)} admits one person once for each ${name}, which the caller chooses: remember the identity for all of them, or give _verifyOnce a round.`,
  );
}

/** Lets a person choose the same twice, for what remembers only who chose something else. */
async function repeat(
  scene: Scene,
  entry: Ready,
  { path }: Leaf,
  value: unknown,
): Promise<Found | undefined> {
  const { second } = scene.wallets;
  const choice = { at: valuesAt(entry, [[path, value]]) };
  const gains = effectOf(
    await scene.branch(() => scene.claim(entry, { wallet: second, identity: "carol", choice })),
  );
  const one = await scene.claim(entry, { choice });
  const two = await scene.claim(entry, { wallet: second, choice });
  if (gains.size === 0 || !scene.isAdmitted(two, gains) || roundsOf(one) !== roundsOf(two)) return undefined;
  return scene.found(
    `${short(entry)} admits a second wallet of a person who chooses ${value}: remember the identity for every choice.`,
  );
}

/** Counts a person twice in a list of verifications, and in the batch of a wallet that delegates to code (EIP-7702). */
async function inOneTransaction(scene: Scene, entry: Ready): Promise<Found | undefined> {
  const { first, second, stranger } = scene.wallets;
  const gains = await scene.gains(entry);
  const once = await scene.fresh(() => scene.claim(entry));
  if (gains.size === 0 || !("done" in once)) return undefined;
  const isMore = ({ done }: { done: Done }, wallet: string, own: Effect) =>
    wallet === first
      ? isTwice(gains, once.done.amounts, done.amounts)
      : own.size > 0 && overlap(own, done.effect) >= 0.5;
  const valid = await scene.mint();
  const isListed = [...entry.places.keys()].some((path) => path.includes("item"));
  const listed = await firstOf(isListed ? [valid, madeUp] : [], (next) =>
    scene.branch(async () => {
      const outcome = await scene.claim(entry, { choice: { items: 2, next } });
      if (!("done" in outcome) || !isMore(outcome, first, gains)) return undefined;
      const what = next === valid ? "the same verification twice" : "a made-up verification after a true one";
      return scene.found(
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
    const calls = [{}, plan].map((each) => scene.callOf(entry, each));
    return scene.branch(async () => {
      const outcome = await scene.batch(await Promise.all(calls));
      if (!("done" in outcome) || !isMore(outcome, plan.wallet, own)) return undefined;
      return scene.found(
        `${short(entry)} admits again in one transaction whom it has just admitted: remember the identity in storage, and verify each time.`,
      );
    });
  });
}

/** Claims from a contract, which claims again by this or another entry point when it is called back. */
async function reenter(scene: Scene, entry: Ready, more: bigint): Promise<Found | undefined> {
  const { first } = scene.wallets;
  const { intruder } = await scene.intrude();
  const callOf = (other: Ready) => {
    const value = other.choice.value + (other === entry ? more : 0n);
    return scene.callOf(other, { wallet: intruder, choice: { value } });
  };
  const claim = await callOf(entry);
  const one = await scene.branch(() => scene.through(intruder, first, claim));
  if (!("done" in one) || !one.done.called.has(intruder)) return undefined;
  return firstOf(scene.entryPoints, async (other) => {
    const again = await callOf(other);
    const two = await scene.branch(() => scene.through(intruder, first, again));
    const afterwards = await scene.branch(async () => {
      await scene.through(intruder, first, claim);
      return scene.through(intruder, first, again);
    });
    // This claim counts again without a callback, so the attack shows nothing.
    if (!("done" in two) || scene.isAdmitted(afterwards, two.done.effect)) return undefined;
    return scene.branch(async () => {
      const both = await scene.through(intruder, first, claim, again);
      if (!("done" in both)) return undefined;
      const isCounted = ([mark, amount]: [string, bigint]) =>
        !mark.includes(intruder) &&
        !/^ether .*\+$/.test(mark) &&
        (both.done.amounts.get(mark) ?? 0n) >= (one.done.amounts.get(mark) ?? 0n) + amount;
      if (![...two.done.amounts].some(isCounted)) return undefined;
      const through = other === entry ? "" : ` through ${short(other)}`;
      return scene.found(
        `${short(entry)} can be re-entered${through} by the receiver of what it sends, and counts a person twice: call _verifyOnce before you send anything.`,
      );
    });
  });
}

/** Whether a claim costs ether or tokens. */
async function pays(scene: Scene, entry: Ready): Promise<boolean> {
  return scene.fresh(async () => {
    const effect = effectOf(await scene.claim(entry));
    const own = `slot ${scene.target.address} `;
    return [...effect].some(
      (mark) =>
        mark === `ether ${scene.target.address} +` ||
        (mark.startsWith("slot ") && !mark.startsWith(own) && mark.endsWith("-")),
    );
  });
}

const isWide = (type: string) =>
  /^(u?int(8|16|24|32|40|48|56|64|72|80|88|96|1\d\d|2\d\d)|bytes32|bytes16|string)$/.test(type);

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
export const roundsOf = (outcome: Outcome | undefined): string =>
  outcome !== undefined && "done" in outcome ? outcome.done.rounds.join() : "";
const countsInRound = (outcome: Outcome) => /[1-9a-f]/.test(roundsOf(outcome).replaceAll("0x", ""));
const withoutCount = (marks: ReadonlySet<string>) =>
  new Set([...marks].filter((mark) => !mark.endsWith(identityUsed)));
