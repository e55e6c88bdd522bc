// Does a claim give as much as its caller asks for, or what belongs to another wallet?
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { accountOf } from "../../wallets.ts";
import { type Edit, type Leaf, withVerification } from "../calldata.ts";
import { type Effect, gainsOfOne, isGrowth, isTwice } from "../effect.ts";
import {
  effectOf,
  isAdmitted,
  isAsGiven,
  isDearer,
  isTakenBack,
  payoutsOf,
  pricesOf,
  tokensPaid,
} from "../gains.ts";
import { type Attack, findWay, learnGiven, mustRefuse, type Verdict, verdictOf } from "../judge.ts";
import type { Change, Play } from "../play.ts";
import type { Half } from "../recorded.ts";
import type { Scene } from "../scene.ts";
import type { Done, Outcome } from "../stage.ts";

/** A change by which one person gets more than the recorded claim gives. */
interface Greed {
  readonly edit: Change;
  /** The fault, if this is what a person gets. */
  judge(got: Done): string | undefined;
}

const more: Attack = {
  name: "more by the caller's choice",
  async *run(scene) {
    // A trusted caller's choice is not the person's.
    if (scene.isTrusted) return;
    const usual = await scene.ownGains({});
    if ("refusal" in usual) return void (yield usual);
    for (const { edit, judge } of [
      ...(await largeAmounts(scene, usual.done)),
      ...freeOfCharge(scene, usual),
      ...(await oneself(scene, usual)),
      ...early(scene, usual.done),
      ...repeated(scene, usual),
      ...(await doubled(scene, usual.done)),
    ]) {
      const trial = async () => {
        const outcome = await scene.play({ edit });
        const message = "done" in outcome ? judge(outcome.done) : undefined;
        return message && `${scene.short} ${message}`;
      };
      yield await verdictOf(scene, trial, { change: edit.what });
    }
    yield* inParts(scene);
    yield* withoutTokens(scene);
  },
};

/** Takes half of what the recorded claim takes, and then more than the other half, where nothing is left after the whole. */
async function* inParts(scene: Scene): AsyncIterable<Verdict> {
  const { first, second } = scene.wallets;
  const { halves } = scene.recorded;
  const edits = halves.map(({ edit }) => edit);
  const [whole, ...parts] = await scene.simulate({}, [undefined, ...edits]);
  const ofAmounts = halves.filter((each, i) => isPart(whole, parts[i], each));
  const given = ofAmounts.length === 0 ? undefined : await learnGiven(scene);
  for (const { of, edit, isMostly } of ofAmounts) {
    // Another amount, such as nothing, in between.
    const between = scene.recorded.edits.filter(
      ({ leaf, value }) => leaf === edit.leaf && value !== edit.value,
    );
    const usual = await scene.simulate({}, between);
    const isSmall = (outcome: Outcome | undefined): outcome is { readonly done: Done } =>
      outcome !== undefined && "done" in outcome && !isMoreThan(whole, outcome.done);
    const small = between.flatMap((each, i) => (isSmall(usual[i]) ? [{ each, usual: usual[i].done }] : []));
    yield* inQuarters(scene, whole, { of, leaf: edit.leaf });
    for (const wallet of [second, first]) {
      const after = (plays: readonly Play[], last: Play) =>
        scene.branch(async () => {
          for (const play of plays) await scene.play(play);
          return mustRefuse(scene, {
            attack: { wallet, ...last },
            control: { wallet, identity: "carol", ...last },
            means: `gives a person more in parts than at once, of which ${edit.what} is the first: add what they ask for to what they have had, and compare the sum with the limit.`,
            // Another change of the claim shows nothing.
            isElsewhere: () => true,
          });
        });
      const half: Play = { edit };
      if ((await after([{}], half)) !== "held") continue;
      // Where the same number is refused twice, it is no amount.
      const twice = await after([half], half);
      if (typeof twice === "string" || "refusal" in twice) continue;
      yield await after([half], {});
      if (isMostly) yield await after([half, { wallet, ...half }], half);
      for (const { each, usual } of small.slice(0, 4)) {
        const makesRoom = await scene.branch(async () => {
          const first = await scene.play();
          const next = await scene.play({ wallet, edit: each });
          if (!("done" in first) || !("done" in next)) return false;
          return given !== undefined && !isTakenBack(given(first.done), next, usual);
        });
        if (makesRoom) yield await after([{}, { wallet, edit: each }], {});
      }
    }
  }
}

/** Takes four quarters of what the recorded claim takes, of which one gives a quarter. */
async function* inQuarters(
  scene: Scene,
  whole: Outcome | undefined,
  { of, leaf }: { readonly of: bigint; readonly leaf: Leaf | undefined },
): AsyncIterable<Verdict> {
  if (leaf === undefined || of < 8n || whole === undefined || !("done" in whole)) return;
  const edit = scene.recorded.change(leaf, of / 4n);
  const trial = async () => {
    const sums = new Map<string, bigint>();
    for (let i = 0; i < 4; ++i) {
      const outcome = await scene.play({ edit });
      if (!("done" in outcome)) return undefined;
      for (const [mark, amount] of outcome.done.amounts) sums.set(mark, (sums.get(mark) ?? 0n) + amount);
    }
    const isMore = ([mark, amount]: [string, bigint]) => {
      const sum = sums.get(mark) ?? 0n;
      // A count of calls may share the word.
      const isCount = (sum - amount) % 2n ** 32n === 0n;
      return isGrowth(mark) && amount > 9n && amount < 2n ** 200n && 4n * sum > 5n * amount && !isCount;
    };
    if (![...whole.done.amounts].some(isMore)) return undefined;
    return `${scene.short} gives a person more in four parts than at once: count what they have had before.`;
  };
  yield await verdictOf(scene, trial, { change: edit.what });
}

/** Whether some amount of a claim is more than that of another one. */
const isMoreThan = (usual: Outcome | undefined, { amounts }: Done): boolean =>
  usual !== undefined &&
  "done" in usual &&
  [...usual.done.amounts].some(([mark, amount]) => isGrowth(mark) && (amounts.get(mark) ?? 0n) > amount);

/** Whether a claim of half as much gives half of what the whole gives. */
function isPart(whole: Outcome | undefined, part: Outcome | undefined, { of, half }: Half): boolean {
  if (whole === undefined || part === undefined || !("done" in whole) || !("done" in part)) return false;
  const { amounts } = part.done;
  return [...whole.done.amounts].some(
    ([mark, amount]) => amount >= of && (amounts.get(mark) ?? 0n) * of === amount * half,
  );
}

/** How many times as much as was recorded is more than a test leaves out. */
const much = 200n;
/** Names of numbers that say how much somebody gets. */
const quantity = /amount|quantity|count|tickets?$|weight|votes?$|shares|power|points|credits|tokens$/i;

/** Asks for much more by each number, or for all that the contract has. */
async function largeAmounts(scene: Scene, usual: Done): Promise<Greed[]> {
  const numbers = scene.recorded.free.filter(
    ({ type, value }) => /^u?int\d+$/.test(type.type) && BigInt(String(value)) > 0n,
  );
  if (numbers.length === 0) return [];
  const ether = await scene.stage.node.request({
    method: "eth_getBalance",
    params: [scene.target.address, "latest"],
  });
  const totals = await totalsOf(scene);
  const one = numbers.map((leaf) => scene.recorded.change(leaf, BigInt(String(leaf.value)) + 1n));
  const next = await scene.simulate({}, one);
  return numbers.flatMap((leaf, i) => {
    const now = BigInt(String(leaf.value));
    // A number that is cut to fewer bits, and checked afterwards, passes for a small one.
    const cut = [8n, 16n, 32n, 64n, 128n].map((bits) => now + (1n << bits));
    const values = [201n * now, 1_000_003n * now, BigInt(String(ether)), ...cut];
    const isLimited = next[i] !== undefined && !("done" in next[i]);
    return values
      .filter((value) => value >= much * now)
      .map((value) => {
        const asks = asksFor(scene, { usual, totals }, leaf, value);
        const isCut = isLimited && cut.includes(value);
        return {
          edit: scene.recorded.change(leaf, value),
          judge: (got: Done) => asks(got) ?? (isCut ? givesMore(usual, leaf, got) : undefined),
        };
      });
  });
}

/** The numbers that grow with each person's claim, such as a count of votes. */
const totalsOf = (scene: Scene): Promise<Effect> =>
  scene.branch(async () => {
    await scene.play();
    const next = await scene.play({ wallet: scene.wallets.second, identity: "bob" });
    return effectOf(next);
  });

interface Usual {
  readonly usual: Done;
  readonly totals: Effect;
}

const asksFor =
  (scene: Scene, { usual, totals }: Usual, leaf: Leaf, value: bigint) =>
  (got: Done) => {
    const now = BigInt(String(leaf.value));
    const { address } = scene.target;
    const isMore = (mark: string, amount: bigint) =>
      totals.has(mark) && usual.amounts.get(mark) === now && amount === value;
    const counted = [...got.amounts].some(
      ([mark, amount]) => mark.startsWith("slot ") && isMore(mark, amount),
    );
    const [paid, before] = [payoutsOf(got, address), payoutsOf(usual, address)];
    const isGiven = [...paid].some(([what, amount]) => {
      const was = before.get(what) ?? 0n;
      return was > 0n && amount >= much * was;
    });
    if (isDearer(got, [usual]) || !(isGiven || (counted && quantity.test(leaf.type.name)))) return undefined;
    return `gives as much as its caller asks for by ${leaf.name}: let the contract say how much, or a proof that names it.`;
  };

/** Says what is wrong where one more is refused, and a number with more bits gives more. */
function givesMore(usual: Done, leaf: Leaf, got: Done): string | undefined {
  const isMore = [...usual.amounts].some(
    ([mark, amount]) => isGrowth(mark) && amount < 2n ** 200n && (got.amounts.get(mark) ?? 0n) > 2n * amount,
  );
  if (!isMore || isDearer(got, [usual])) return undefined;
  return `cuts ${leaf.name} to fewer bits before it checks it, and then gives as much as the whole number says: check the number itself.`;
}

/** Whether somebody got all that a claim writes, as much of it as usual. */
const hasAll = (gains: Effect, usual: Done, got: Done) => {
  const slots = [...gains].filter((mark) => mark.startsWith("slot "));
  return slots.length > 0 && slots.every((mark) => usual.amounts.get(mark) === got.amounts.get(mark));
};

/** Names of numbers that say when something begins. */
const beginning = /start|begin|from|since|timestamp/i;

/** Chooses a time in the past. */
const early = (scene: Scene, usual: Done): Greed[] =>
  scene.recorded.free
    .filter(({ type, value }) => /^uint\d+$/.test(type.type) && beginning.test(type.name) && value !== 1n)
    .map((leaf) => ({
      edit: scene.recorded.change(leaf, 1n),
      judge: (got: Done) => {
        const [payouts, before] = [
          payoutsOf(got, scene.target.address),
          payoutsOf(usual, scene.target.address),
        ];
        const isMore = [...payouts].some(([what, amount]) => {
          const was = before.get(what) ?? 0n;
          return was > 0n && 2n * amount > 3n * was;
        });
        return isMore && !isDearer(got, [usual])
          ? `gives more at once to people who choose a ${leaf.name} in the past: refuse that.`
          : undefined;
      },
    }));

/** Leaves the ether out. */
function freeOfCharge(
  scene: Scene,
  { gains, done }: { readonly gains: Effect; readonly done: Done },
): Greed[] {
  const { value = 0n } = scene.recorded.call;
  if (value < 2n || !pricesOf(done).has("ether")) return [];
  return [0n, 1n].map((paid) => ({
    edit: { what: `value = ${paid} wei`, apply: (call) => ({ ...call, value: paid }) },
    judge: (got) =>
      hasAll(gains, done, got)
        ? `gives the same to people who send ${paid === 0n ? "no ether" : "1 wei"}: check msg.value, or do not ask for it.`
        : undefined,
  }));
}

/** Names a wallet of the claimant where the recorded claim names somebody else, such as who has invited them. */
async function oneself(
  scene: Scene,
  { gains, done }: { readonly gains: Effect; readonly done: Done },
): Promise<Greed[]> {
  const { first, second } = scene.wallets;
  const another = await scene.ownGains({ wallet: second });
  if ("refusal" in another) return [];
  const own = [...gainsOfOne(gains, another.gains)].filter(isGrowth);
  const named = scene.recorded.free.filter(({ type, value }) => type.type === "address" && value !== first);
  return named.flatMap((leaf) =>
    [
      [first, "themselves", "refuse the caller there"],
      [second, "a second wallet of theirs", "take only wallets of people who have been counted"],
    ].map(([wallet, what, remedy]) => ({
      edit: scene.recorded.change(leaf, wallet),
      judge: (got: Done) =>
        own.some((mark) => (got.amounts.get(mark) ?? 0n) > (done.amounts.get(mark) ?? 0n))
          ? `gives more to people who name ${what} as ${leaf.name}: ${remedy}.`
          : undefined,
    })),
  );
}

/** Names the last item of a list twice, or in two parts of its amount. */
function repeated(scene: Scene, { gains, done }: { readonly gains: Effect; readonly done: Done }): Greed[] {
  const { address } = scene.target;
  const { twice, inParts } = scene.recorded.repetitions;
  const grown = [...gains].filter((mark) => isGrowth(mark) && (done.amounts.get(mark) ?? 0n) < 2n ** 200n);
  // Whatever the list says, its length grows, but not by twice as much.
  // Where the caller names the amount of each item, naming one twice is naming twice as much.
  const hasAmounts = scene.recorded.free.some(({ name, type }) => type.isArray() && quantity.test(name));
  const isDouble = (got: Done) =>
    scene.recorded.hasLists && !hasAmounts && isTwice(new Set(grown), done.amounts, got.amounts);
  const before = payoutsOf(done, address);
  const isPaidOut = (got: Done) =>
    [...payoutsOf(got, address)].some(([what, amount]) => {
      const was = before.get(what) ?? 0n;
      return was > 0n && amount > was;
    });
  const isHeavier = (got: Done) =>
    grown.some((mark) => {
      const was = done.amounts.get(mark) ?? 0n;
      return was > 9n && 10n * (got.amounts.get(mark) ?? 0n) > 11n * was;
    });
  const means =
    "gives more to people who name one item of a list twice: let each be there once, and count it before the next.";
  const judgeBy = (isMore: (got: Done) => boolean) => (got: Done) =>
    !isDearer(got, [done]) && isMore(got) ? means : undefined;
  return [
    ...twice.map((edit) => ({ edit, judge: judgeBy((got) => isPaidOut(got) || isDouble(got)) })),
    ...inParts.map((edit) => ({ edit, judge: judgeBy((got) => isPaidOut(got) || isHeavier(got)) })),
  ];
}

/** Names one item of a list twice that may not have as much at once. */
async function doubled(scene: Scene, usual: Done): Promise<Greed[]> {
  const { doublings } = scene.recorded;
  const atOnce = await scene.simulate(
    {},
    doublings.map((each) => each.atOnce),
  );
  const isDouble = ({ amounts }: Done) =>
    [...usual.amounts].some(
      ([mark, amount]) =>
        isGrowth(mark) && amount > 1n && amount < 2n ** 200n && (amounts.get(mark) ?? 0n) >= 2n * amount,
    );
  return doublings
    .filter((_, i) => !("done" in (atOnce[i] ?? {})))
    .map(({ twice }) => ({
      edit: twice,
      judge: (got) =>
        isDouble(got) && !isDearer(got, [usual])
          ? "takes one item of a list twice, which may not have as much at once: let each be there once."
          : undefined,
    }));
}

/** Claims with a wallet that nobody has prepared, if the others pay with tokens that they got beforehand. */
async function* withoutTokens(scene: Scene): AsyncIterable<Verdict> {
  const { address } = scene.target;
  const usual = await scene.gains({});
  if ("refusal" in usual || tokensPaid(usual.done).length === 0) return;
  const poor = accountOf("a wallet without tokens");
  const ofPoor = await scene.gains({ wallet: poor });
  const isPaid = "refusal" in ofPoor || tokensPaid(ofPoor.done).length > 0;
  const slotsOf = (gains: Effect) => [...gains].filter((mark) => mark.startsWith(`slot ${address} `)).length;
  if (isPaid || slotsOf(ofPoor.gains) < slotsOf(usual.gains)) return void (yield "held");
  yield await verdictOf(scene, async () => {
    await scene.play({ wallet: poor });
    return `${scene.short} gives the same to a wallet that has no tokens to pay: revert if the payment fails.`;
  });
}

/** Lets another person claim with the arguments of the first wallet, such as its place on a list. */
const others: Attack = {
  name: "arguments of another wallet",
  async *run(scene) {
    const { first, third } = scene.wallets;
    if (scene.isTrusted) return;
    yield* laterSteps(scene);
    yield* copied(scene);
    yield* earlierSteps(scene);
    const [mine, theirs] = [await leavesOf(scene, first), await leavesOf(scene, third)];
    // Arguments that are the same for everybody belong to nobody.
    const own = mine.filter(
      ({ path, value, type }) =>
        value !== first &&
        !type.isArray() &&
        theirs.some((each) => each.path.join() === path.join() && String(each.value) !== String(value)),
    );
    if (own.length === 0) return;
    const usual = await findWay(scene, {});
    if ("refusal" in usual) return void (yield usual);
    const edit = {
      what: `${[...new Set(own.map(({ name }) => name))].join(", ")} of the first wallet`,
      apply: (call: Parameters<Edit["apply"]>[0]) =>
        mine
          .filter(({ value }) => value !== first)
          .reduce((one, leaf) => scene.recorded.set(one, leaf, leaf.value), call),
    };
    const play: Play = { wallet: third, identity: "mallory", edit };
    const trial = async () => {
      const outcome = await scene.play(play);
      if (!("done" in outcome) || isAdmitted(await scene.play({}), usual.gains)) return undefined;
      return `${scene.short} takes arguments that belong to another wallet, which is then refused: bind them to msg.sender.`;
    };
    yield await verdictOf(scene, trial, { change: edit.what });
  },
};

/** Lets a stranger make each later call of a claim before its person does. */
async function* laterSteps(scene: Scene): AsyncIterable<Verdict> {
  const { first, stranger } = scene.wallets;
  for (let step = 1; step <= scene.later; ++step) {
    const verdict = await scene.branch(async (): Promise<Verdict | undefined> => {
      const call = await scene.draft({}, step);
      if (call === undefined || checksumAddress(call.from) !== first) return undefined;
      const usual = await scene.stage.simulate(call);
      if (!("done" in usual)) return undefined;
      const what = "A stranger makes the next call of the first wallet's claim.";
      const taken = await scene.send(what, { ...call, from: stranger });
      if (!("done" in taken) || "done" in (await scene.stage.simulate(call))) return "held";
      // Anybody may do it for the person.
      if (isAsGiven(usual.done, taken.done, first)) return "held";
      const name = scene.nameOfCall(call);
      const message = `${name} lets anybody make it in a person's place, who is then refused: bind what it gives to the person.`;
      return { found: scene.found(message, { entryPoint: name }) };
    });
    if (verdict !== undefined) yield verdict;
  }
}

/** Lets another person, who has made no call before, copy a claim that somebody has prepared by earlier calls. */
async function* copied(scene: Scene): AsyncIterable<Verdict> {
  const { first, third } = scene.wallets;
  if (scene.earlier === 0) return;
  const verdict = await scene.branch(async (): Promise<Verdict | undefined> => {
    const [verification, theirs] = [
      await scene.mint(),
      await scene.mint({ wallet: third, identity: "mallory" }),
    ];
    const call = await scene.draft({ verification });
    if (call === undefined || checksumAddress(call.from) !== first) return undefined;
    // A transaction is in the next block.
    await scene.pass(1);
    if (!("done" in (await scene.stage.simulate(call)))) return undefined;
    const copy = { ...withVerification(call, verification, theirs), from: third };
    const taken = await scene.send(
      "Another person copies the first wallet's claim before it is in a block.",
      copy,
    );
    if (!("done" in taken) || "done" in (await scene.stage.simulate(call))) return "held";
    const message = `${scene.short} takes what another wallet has prepared, which is then refused: bind that to msg.sender.`;
    return { found: scene.found(message, { change: "another person's verification" }) };
  });
  if (verdict !== undefined) yield verdict;
}

/** Lets a stranger make an earlier call of a claim again, after its person. */
async function* earlierSteps(scene: Scene): AsyncIterable<Verdict> {
  const { first, stranger } = scene.wallets;
  for (let before = 1; before <= scene.earlier; ++before) {
    const verdict = await scene.branch(async (): Promise<Verdict | undefined> => {
      const earlier = await scene.branch(() => scene.draft({}, -before));
      const call = await scene.draft({});
      if (earlier?.to === undefined || checksumAddress(earlier.to) !== scene.target.address) return undefined;
      if (call === undefined || checksumAddress(call.from) !== first) return undefined;
      // A transaction is in the next block.
      await scene.pass(1);
      if (!("done" in (await scene.stage.simulate(call)))) return undefined;
      const what = "A stranger makes an earlier call of the first wallet's claim again.";
      const again = await scene.send(what, { ...earlier, from: stranger });
      await scene.pass(1);
      if (!("done" in again) || "done" in (await scene.stage.simulate(call))) return "held";
      const name = scene.nameOfCall(earlier);
      const message = `${name} lets anybody make a person's call again, who is then refused: keep what was there first.`;
      return { found: scene.found(message, { entryPoint: name }) };
    });
    if (verdict !== undefined) yield verdict;
  }
}

/** The arguments of a wallet's claim that are no part of the verification. */
async function leavesOf(scene: Scene, wallet: string): Promise<readonly Leaf[]> {
  const call = await scene.branch(() => scene.draft({ wallet }));
  return call === undefined ? [] : scene.recorded.leavesOf(call);
}

export const gaining: readonly Attack[] = [more, others];
