// A person's gains in one transaction: do they get twice there what they get once?
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { readFunctions, repeatItems } from "../../calldata.ts";
import { type Effect, gainsOfOne, isMultiple, isTwice, overlap, slotsIn, valuesIn } from "../../effect.ts";
import { short } from "../../functions.ts";
import { etherOf, isAdmitted, pricesOf } from "../../gains.ts";
import { batch, delegate, intrude, through } from "../../intruder.ts";
import { choices } from "../../invent.ts";
import { type Attack, findWay, type Verdict, verdictOf } from "../../judge.ts";
import { composeCall, openingsOf } from "../../openings.ts";
import { otherClaims } from "../../otherClaims.ts";
import { madeUp, type Play, withEdit } from "../../play.ts";
import type { Scene } from "../../scene.ts";
import type { Call, Done } from "../../stage.ts";

/** Counts a person twice in a list of verifications, and in the batch of a wallet that delegates to code (EIP-7702). */
export const inOneTransaction: Attack = {
  name: "twice in one transaction",
  async *run(scene) {
    const way = await findWay(scene, {});
    if ("refusal" in way) return void (yield way);
    yield* inLists(scene, way.gains);
    if (scene.isTrusted) return;
    yield* paidOnce(scene);
    yield* withDoors(scene, way.gains);
    yield* inBatches(scene, way);
  },
};

/** Adds an item to the lists of a claim, and to those of the contract's other functions that take a verification. */
async function* inLists(scene: Scene, gains: Effect): AsyncIterable<Verdict> {
  const { first } = scene.wallets;
  const valid = await scene.mint();
  const draft = await scene.branch(() => scene.draft({ verification: valid }));
  const others = await otherClaims(scene, first, { identity: "alice", verification: valid });
  const isDouble = (once: Done, twice: Done) => isTwice(gains, once.amounts, twice.amounts);
  const verifications = [
    [valid, "the same verification twice"],
    [madeUp, "a made-up verification after a true one"],
  ] as const;
  const own = draft === undefined ? [] : [[scene.short, draft] as const];
  const ofVerifications = [...own, ...others].flatMap(([name, call]) =>
    verifications.map(([next, what]) => ({
      call,
      twice: scene.recorded.doubled(call, valid, next),
      what: `${name} with one item more in each list`,
      // New ids are in other slots, so that there are more of them.
      isMore: (once: Done, twice: Done) => isDouble(once, twice) || twice.effect.size > once.effect.size,
      message: `${name} counts ${what} in one list: verify and remember each before the next.`,
      more: { change: "one verification more in the list" },
    })),
  );
  const functions = readFunctions(scene.target.abi);
  const ofItems = others.map(([name, call]) => ({
    call,
    twice: repeatItems(functions, call),
    what: `${name} with the last item twice`,
    isMore: (once: Done, twice: Done) =>
      etherOf({ done: once }) === etherOf({ done: twice }) && isDouble(once, twice),
    message: `${name} gives as often what ${scene.short} gives as its list is long, for one verification: count the person for each item.`,
    more: { entryPoint: name, change: "the last item twice" },
  }));
  for (const { call, twice, what, isMore, message, more } of [...ofVerifications, ...ofItems]) {
    const once = twice && (await scene.stage.simulate(call));
    if (twice === undefined || once === undefined || !("done" in once)) continue;
    const trial = async () => {
      const outcome = await scene.send(`The first wallet calls ${what}.`, twice);
      return "done" in outcome && isMore(once.done, outcome.done) ? message : undefined;
    };
    yield await verdictOf(scene, trial, more);
  }
}

/** Claims, and claims again in the same batch. */
async function* inBatches(
  scene: Scene,
  way: Extract<Awaited<ReturnType<typeof findWay>>, { done: Done }>,
): AsyncIterable<Verdict> {
  const { first, second, stranger } = scene.wallets;
  const ofSecond = await scene.gains({ wallet: second });
  const firstAlone = valuesIn("gains" in ofSecond ? gainsOfOne(way.gains, ofSecond.gains) : new Set());
  /** Whether the first wallet has lost what the second one gets. */
  const isMoved = (wallet: string, { effect }: Done) =>
    wallet === second && firstAlone.size > 0 && overlap(firstAlone, effect) === 0;
  const isMore = (done: Done, wallet: string, own: Effect) =>
    wallet === first
      ? isTwice(way.gains, way.done.amounts, done.amounts)
      : own.size > 0 && overlap(own, done.effect) >= 0.5 && !isMoved(wallet, done);
  const plans: readonly Play[] = [
    ...(pricesOf(way.done).size > 0 ? [] : [{}]),
    { wallet: second },
    { wallet: stranger, verification: madeUp },
    { wallet: stranger, verification: await scene.mint() },
  ];
  for (const plan of plans) {
    const { wallet = first } = plan;
    const control = await findWay(scene, { wallet, identity: "carol" });
    if ("refusal" in control) {
      yield control;
      continue;
    }
    const own = gainsOfOne(control.gains, way.gains);
    yield await verdictOf(scene, async () => {
      await delegate(scene, first, "wallet/BatchExecutor");
      for (const each of [second, stranger]) await delegate(scene, each, "attack/Intruder");
      const together = async (again: Play) => {
        const calls: Call[] = [];
        for (const each of [{}, again]) {
          const call = await scene.draft(withEdit(each, way.edit));
          if (call !== undefined) calls.push(call);
        }
        return calls.length < 2 ? { revert: "0x" } : batch(scene, calls);
      };
      const allowed = await scene.branch(() => together({ wallet, identity: "carol" }));
      if (!("done" in allowed)) return { refusal: scene.sayRefusal(allowed) };
      const outcome = await together(plan);
      if (!("done" in outcome) || !isMore(outcome.done, wallet, own)) return undefined;
      return `${scene.short} admits again in one transaction whom it has just admitted: remember the identity in storage, and verify each time.`;
    });
  }
}

/** Makes a call of the claim that pays ether twice, in a function that makes several calls, and pays once. */
async function* paidOnce(scene: Scene): AsyncIterable<Verdict> {
  const { first } = scene.wallets;
  const functions = readFunctions(scene.target.abi);
  const makers = scene.doors.filter(({ name, payable }) => payable && /\(bytes\[\]|,bytes\[\]/.test(name));
  for (let before = 0; makers.length > 0 && before <= scene.earlier; ++before) {
    const verdicts = await scene.branch(async () => {
      const call = await scene.draft({}, -before);
      const once = call && (await scene.stage.simulate(call));
      const isOwn = call?.to !== undefined && checksumAddress(call.to) === scene.target.address;
      if (!isOwn || call.value === 0n || once === undefined || !("done" in once)) return [];
      return Promise.all(
        makers.map(async (door): Promise<Verdict> => {
          const choice = { number: 1n, items: 1, value: 0n, bytes: call.data, given: {} } as const;
          const one = { ...composeCall(scene, door, first, choice), value: call.value };
          const both = repeatItems(functions, one) ?? one;
          const outcome = await scene.stage.simulate(both);
          const slots = slotsIn(once.done.effect);
          if (!("done" in outcome) || !isTwice(slots, once.done.amounts, outcome.done.amounts)) return "held";
          await scene.send(`The first wallet calls ${door.name} with one call twice.`, both);
          const message = `${short(door)} counts ether that is sent once for each of its calls: take none there.`;
          return { found: scene.found(message, { entryPoint: door.name }) };
        }),
      );
    });
    yield* verdicts;
  }
}

/** Claims, and in the same transaction calls a function that refuses the wallet before and afterwards. */
async function* withDoors(scene: Scene, gains: Effect): AsyncIterable<Verdict> {
  const { first } = scene.wallets;
  const steps = await scene.branch(async () => {
    await scene.play();
    return scene.learned.rest.map(({ call }) => scene.nameOfCall(call));
  });
  for (const door of (await openingsOf(scene)).closed) {
    // A step of the claim completes what the claim begins.
    if (steps.includes(door.name)) continue;
    for (const choice of choices(door).slice(0, 4)) {
      const verdict = await scene.branch(async (): Promise<Verdict | undefined> => {
        await delegate(scene, first, "wallet/BatchExecutor");
        const claim = await scene.draft({});
        if (claim === undefined) return undefined;
        const once = await scene.branch(() => batch(scene, [claim]));
        const outcome = await batch(scene, [claim, composeCall(scene, door, first, choice)]);
        if (!("done" in once) || !("done" in outcome)) return undefined;
        const [one, both] = [once.done.amounts, outcome.done.amounts];
        const like = [...gains].filter((mark) => !mark.startsWith("slot ") || isMultiple(one, both, mark));
        if (!isTwice(new Set(like), one, both)) return "held";
        const message = `${door.name} gives again what ${scene.short} gave, in the same transaction: forget there whom it has let in.`;
        return { found: scene.found(message, { entryPoint: door.name }) };
      });
      if (verdict !== undefined) yield verdict;
      if (typeof verdict === "object" && "found" in verdict) break;
    }
  }
}

/** Claims from a contract, which claims again when it is called back. */
export const reentered: Attack = {
  name: "re-entered call",
  async *run(scene) {
    if (scene.isTrusted) return;
    // A caller who pays too much may be called back with the change.
    for (const more of scene.recorded.args?.fragment.payable ? [0n, 1n] : [0n]) yield* reenter(scene, more);
  },
};

async function* reenter(scene: Scene, more: bigint): AsyncIterable<Verdict> {
  const { first } = scene.wallets;
  const verdict = await scene.branch(async (): Promise<Verdict | undefined> => {
    const { intruder } = await intrude(scene);
    const draft = await scene.draft({ wallet: intruder });
    if (draft === undefined) return undefined;
    const claim = { ...draft, value: (draft.value ?? 0n) + more };
    const one = await scene.branch(() => through(scene, intruder, first, claim));
    if (!("done" in one) || !one.done.called.has(intruder)) return undefined;
    for (const [name, again] of [
      [scene.short, claim],
      ...(await otherClaims(scene, intruder, { identity: "alice" })),
    ] as const) {
      const two = await scene.branch(() => through(scene, intruder, first, again));
      const afterwards = await scene.branch(async () => {
        await through(scene, intruder, first, claim);
        return through(scene, intruder, first, again);
      });
      // This claim counts again without a callback, so the attack shows nothing.
      if (!("done" in two) || isAdmitted(afterwards, two.done.effect)) continue;
      const shown = await verdictOf(scene, async () => {
        const both = await through(scene, intruder, first, claim, again);
        const isCounted = ([mark, amount]: [string, bigint]) =>
          "done" in both &&
          !mark.includes(intruder) &&
          !/^ether .*\+$/.test(mark) &&
          (both.done.amounts.get(mark) ?? 0n) >= (one.done.amounts.get(mark) ?? 0n) + amount;
        if (![...two.done.amounts].some(isCounted)) return undefined;
        const way = name === scene.short ? "" : ` through ${name}`;
        return `${scene.short} can be re-entered${way} by the receiver of what it sends, and counts a person twice: call _verifyOnce before you send anything.`;
      });
      if (typeof shown === "object") return shown;
    }
    return "held";
  });
  if (verdict !== undefined) yield verdict;
}
