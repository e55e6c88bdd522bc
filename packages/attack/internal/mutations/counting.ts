// Does one person count twice?
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { FunctionFragment } from "ethers";
import { type Edit, type Leaf, readFunctions, repeatItems } from "../calldata.ts";
import {
  type Effect,
  gainsOfOne,
  isGrowth,
  isMultiple,
  isTwice,
  lossOf,
  overlap,
  slotsIn,
  valuesIn,
} from "../effect.ts";
import { short } from "../functions.ts";
import {
  clocksOf,
  effectOf,
  type Given,
  hasLapsed,
  isAdmitted,
  isCountedTwice,
  isTakenBack,
  pricesOf,
  roundsOf,
} from "../gains.ts";
import { batch, delegate, intrude, through } from "../intruder.ts";
import { choices } from "../invent.ts";
import { type Attack, findWay, learnGiven, mustRefuse, sumUp, type Verdict } from "../judge.ts";
import { composeCall, openingsOf } from "../openings.ts";
import { otherClaims } from "../otherClaims.ts";
import { madeUp, type Play, withEdit } from "../play.ts";
import type { Scene } from "../scene.ts";
import { type Call, type Done, day, month, type Outcome } from "../stage.ts";
import { secondForm } from "./forging.ts";

/** A person who comes again, after something. */
interface Return {
  readonly name: string;
  readonly means: string;
  /** Plays after the first wallet's claim as alice. */
  readonly between?: readonly Play[];
  /** Seconds after it. */
  readonly after?: readonly number[];
  /** The second claim, and the wallet of the control. */
  readonly again: (scene: Scene, first: Awaited<ReturnType<Scene["mint"]>>) => Play | readonly Play[];
  /** Whether a round of another name may admit the person again. */
  readonly inRounds?: boolean;
}

const otherWallet = ({ wallets }: Scene): Play => ({ wallet: wallets.second });

/** The first two show whether wallets or identities are remembered. */
const returns: readonly Return[] = [
  {
    name: "same wallet twice",
    // Later, it is another verification, for what remembers those instead of identities.
    after: [2],
    again: () => ({}),
    means:
      "admits the same wallet with the same identity twice: remember the identity. Extend VerifyOnce, and call _verifyOnce.",
  },
  {
    name: "second wallet",
    // A round must not come from what a verification says, nor from the wallet.
    again: ({ wallets: { second, third, stranger } }, { expiration }) => [
      { wallet: second },
      { wallet: second, mint: { expiration: expiration + 1_800 } },
      { wallet: third },
      { wallet: stranger },
    ],
    means:
      "admits a second wallet of the same person: remember the identity hash, not the wallet. Extend VerifyOnce, and call _verifyOnce.",
  },
  {
    name: "same verification again",
    again: (_, first) => ({ verification: first }),
    means:
      "admits the same verification twice: remember the identity. Extend VerifyOnce, and call _verifyOnce.",
  },
  {
    name: "signature in its second form",
    again: (_, first) => ({ verification: secondForm(first) }),
    means:
      "admits a verification again whose signature is written in its second form: remember identities, not signatures.",
  },
  {
    name: "made-up verification after a true one",
    again: () => ({ verification: madeUp }),
    means: "checks a wallet's first verification only, and then admits made-up ones: verify each.",
  },
  {
    name: "same person after another",
    between: [{ identity: "bob" }],
    again: otherWallet,
    means:
      "forgets a person as soon as another one claims from the same wallet: remember each identity by itself.",
  },
  {
    name: "same person after some time",
    after: [3_600, 8 * day, month, 13 * month],
    again: otherWallet,
    inRounds: true,
    means:
      "forgets an identity as time passes: it counts again. Remember it for good, or give _verifyOnce a round.",
  },
];

const inAnotherRound =
  "admits one person again in another round, which follows from who calls, or from what they pass: give _verifyOnce a round that the caller does not choose.";

const comeAgain = ({ name, means, between = [], after = [0], again, inRounds = false }: Return): Attack => ({
  name,
  async *run(scene) {
    for (const seconds of after) {
      yield await scene.branch(async () => {
        const verification = await scene.mint();
        const given = await learnGiven(scene);
        const before = await scene.play({ verification });
        const began = BigInt(await scene.stage.time());
        if (!("done" in before)) return { refusal: scene.sayRefusal(before) };
        for (const play of between) {
          const outcome = await scene.play(play);
          if (!("done" in outcome)) return { refusal: scene.sayRefusal(outcome) };
        }
        if (seconds > 0) await scene.pass(seconds);
        const now = BigInt(await scene.stage.time());
        const claimed = given?.(before.done);
        const isAnnounced = inRounds && claimed !== undefined && (await isTold(scene, claimed, [began, now]));
        const isDue = (outcome: Outcome) =>
          isAnnounced ||
          (inRounds && roundsOf(before) !== roundsOf(outcome)) ||
          (claimed !== undefined && hasLapsed(claimed, [began, now]));
        const isMeant = (outcome: Outcome, usual: Done) =>
          isDue(outcome) || (claimed !== undefined && isTakenBack(claimed, outcome, usual));
        const verdicts: Verdict[] = [];
        for (const attack of [again(scene, verification)].flat()) {
          const control = { wallet: attack.wallet, identity: "carol" };
          const say = (outcome: Outcome) =>
            roundsOf(outcome) === roundsOf(before) || roundsOf(before) === "" ? means : inAnotherRound;
          // Of a few proposals, the next one is another vote.
          const isElsewhere = (outcome: Outcome, edit: Edit) =>
            !edit.isMade &&
            typeof edit.value === "bigint" &&
            (roundsOf(before) === "" || roundsOf(outcome) !== roundsOf(before));
          verdicts.push(await mustRefuse(scene, { attack, control, means: say, isMeant, isElsewhere }));
          if (inRounds) verdicts.push(...(await onceMore(scene, attack, isDue)));
        }
        return sumUp(verdicts) ?? "held";
      });
    }
  },
});

/** Names of getters that say when a person may come again. */
const nextTime = /next|again|cooldown|available|unlock/i;

/** Whether a claim has told everybody, by such a getter, a time that has now come. */
async function isTold(
  { stage, target, wallets }: Scene,
  claimed: Given,
  times: readonly [bigint, bigint],
): Promise<boolean> {
  const clocks = clocksOf(claimed, times);
  for (const each of clocks.length === 0 ? [] : target.abi) {
    const isNamed =
      each.type === "function" && each.stateMutability === "view" && nextTime.test(each.name ?? "");
    const getter = isNamed ? FunctionFragment.from(each) : undefined;
    if (getter?.inputs.map(({ type }) => type).join() !== "bytes32") continue;
    const data = getter.selector + claimed.identityHash.slice(2);
    const answer = await stage.ask({ from: wallets.stranger, to: target.address, data });
    if (answer?.length === 66 && clocks.includes(BigInt(answer))) return true;
  }
  return false;
}

/** Lets a person who may come again, as time has passed, do so twice. */
const onceMore = (scene: Scene, again: Play, isDue: (outcome: Outcome) => boolean): Promise<Verdict[]> =>
  scene.branch(async () => {
    const { third } = scene.wallets;
    const second = await scene.play(again);
    if (!("done" in second) || !isDue(second)) return [];
    return [
      await mustRefuse(scene, {
        attack: { wallet: third },
        control: { wallet: third, identity: "carol" },
        means: "admits a person any number of times once some time has passed: remember each claim.",
        isMeant: (outcome) => roundsOf(outcome) !== roundsOf(second),
        isElsewhere: () => true,
      }),
    ];
  });

/** Tries each change of the arguments: for people who have not been counted, and for the attacker. */
async function tryEdits(scene: Scene, edits: readonly (Edit | undefined)[], attack: Play) {
  const { wallet } = attack;
  const carol = await scene.simulate({ wallet, identity: "carol" }, edits);
  const dave = await scene.simulate({ wallet, identity: "dave" }, edits);
  const outcomes = await scene.simulate(attack, edits);
  return edits.map((edit, i) => {
    const [one, twin, outcome] = [carol[i], dave[i], outcomes[i]];
    const control = one && twin && scene.compare(one, twin);
    const { gains, done: usual } = control && "gains" in control ? control : {};
    const isIn = gains !== undefined && outcome !== undefined && isAdmitted(outcome, gains);
    return {
      edit,
      gains,
      usual,
      isIn,
      outcome,
      rounds: outcome ? roundsOf(outcome) : "",
      price: one && priceOf(one),
    };
  });
}

/** Plays several claims in turn, of which the last must be admitted to show a fault. */
function prove(scene: Scene, plays: readonly Play[], message: string, change: string): Promise<Verdict> {
  return scene.branch(async () => {
    for (const play of plays) {
      const outcome = await scene.play(play);
      if (!("done" in outcome)) return "held";
    }
    return { found: scene.found(`${scene.short} ${message}`, { change }) };
  });
}

/** Changes one argument after the other, for verifications that must be refused with any of them. */
const forgedWithChoice: Attack = {
  name: "argument that opens the door",
  async *run(scene) {
    const { stranger } = scene.wallets;
    const edits = [undefined, ...scene.recorded.edits];
    const verification = await scene.mint();
    const lies: readonly (readonly [Play, string])[] = [
      [{ verification: madeUp }, "admits a made-up verification"],
      [{ wallet: stranger, verification }, "admits a wallet with the verification of another one"],
    ];
    for (const [play, what] of lies) {
      const [asItIs, ...all] = await tryEdits(scene, edits, play);
      // Another attack shows that.
      if (asItIs?.isIn) continue;
      for (const { edit, gains, isIn } of all) {
        if (edit === undefined || gains === undefined) continue;
        const isWorth = overlap(asItIs?.gains ?? gains, gains) > 0 || asItIs?.gains?.size === 0;
        if (!isIn || !isWorth || edit.leaf?.type.type === "address") yield "held";
        else
          yield await prove(
            scene,
            [{ ...play, edit }],
            `${what}, if ${edit.what}: verify whatever the caller chooses.`,
            edit.what,
          );
      }
    }
  },
};

/** Whether a number is the recorded one's next. */
const isNextTo = (edit: Edit | undefined) =>
  typeof edit?.leaf?.value === "bigint" && edit.value === edit.leaf.value + 1n;

/** Lets a counted person come again with another argument, and twice with the same one. */
const choosing: Attack = {
  name: "round of the caller's choice",
  async *run(scene) {
    const { second, third } = scene.wallets;
    const given = await learnGiven(scene);
    const [asItIs, ...all] = await scene.branch(async () => {
      const before = await scene.play();
      const tried = await tryEdits(scene, [undefined, ...scene.recorded.edits], { wallet: second });
      const isMoved = ({ outcome, usual }: (typeof tried)[number]) =>
        "done" in before && outcome && usual && given && isTakenBack(given(before.done), outcome, usual);
      return tried.map((each) => ({ ...each, isIn: each.isIn && !isMoved(each) }));
    });
    // Another attack shows that.
    if (asItIs === undefined || asItIs.isIn) return;
    const made = new Map<Leaf | undefined, number>();
    // A trusted caller's choice is not the person's.
    for (const { edit, gains, isIn, price } of scene.isTrusted ? [] : all) {
      if (edit === undefined || gains === undefined) continue;
      if (isIn && edit.isMade) made.set(edit.leaf, (made.get(edit.leaf) ?? 0) + 1);
      const [own, usual] = [valuesIn(gains), valuesIn(asItIs.gains ?? gains)];
      // Where nothing differs but who counts, the choice is no reason to count again.
      const isSame =
        own.size > 0 && usual.size > 0 && (overlap(own, usual) === 1 || overlap(usual, own) === 1);
      // A person may answer a question once, but may not give every answer.
      const isAnswer =
        edit.leaf?.type.type === "bool" ||
        /^_?(support|option|choice|answer|side|outcome)_?$/i.test(edit.leaf?.type.name ?? "");
      // A contract that checks it has a few for each person.
      const isSlot = /^_?(slot|seat)_?$/i.test(edit.leaf?.type.name ?? "");
      // The list's other items, which stay as they are, have counted before.
      const isAmongOthers = edit.leaf !== undefined && scene.recorded.isAmongOthers(edit.leaf);
      const isBoundless = (made.get(edit.leaf) ?? 0) > 1;
      // Its neighbor is refused, so that the contract must have cut it before it looked at it.
      const isCutFirst =
        edit.isLong === true &&
        all.some((near) => near.edit?.leaf === edit.leaf && isNextTo(near.edit) && near.gains === undefined);
      const isOneWeiMore = edit.leaf === undefined && price === (asItIs.price ?? 0n) + 1n;
      const isAgain =
        isIn &&
        ((isSame && !isSlot && (edit.isScaled || price === asItIs.price || isOneWeiMore)) ||
          isAnswer ||
          isAmongOthers ||
          isCutFirst ||
          isBoundless);
      const name = edit.leaf?.name ?? "value";
      if (!isAgain) yield "held";
      else {
        const means = isBoundless
          ? `admits one person again for each new ${name}, which the caller chooses freely. Check that it exists before you verify.`
          : `admits one person once for each ${name}, which the caller chooses: remember the identity for all of them, or give _verifyOnce a round that exists.`;
        return void (yield await prove(scene, [{}, { wallet: second, edit }], means, edit.what));
      }
    }
    const isWorth = (gains: Effect) => valuesIn(gains).size > 0 || valuesIn(asItIs.gains ?? gains).size === 0;
    for (const { edit, gains } of all) {
      // Nobody gets anything by it.
      if (edit === undefined || gains === undefined || !isWorth(gains)) continue;
      const verdict = await scene.branch(async () => {
        const before = await scene.play({ edit });
        if (effectOf(before).size === 0) return undefined;
        const [again] = await tryEdits(scene, [edit], { wallet: second });
        if (again?.gains === undefined) return undefined;
        if (!again.isIn || again.rounds !== roundsOf(before)) return false;
        if (edit.leaf !== undefined && !/int\d/.test(edit.leaf.type.type)) return true;
        // Of a quota, a person may take small parts until there is no room for all that the recorded claim takes.
        await scene.play({ wallet: second, edit });
        const [whole] = await tryEdits(scene, [undefined], { wallet: third });
        return whole?.gains === undefined || whole.isIn;
      });
      if (verdict === undefined) continue;
      const value = edit.what.slice(edit.what.indexOf("=") + 2);
      const means = `admits a second wallet of a person who chooses ${value}: remember the identity for every choice.`;
      yield verdict ? await prove(scene, [{ edit }, { wallet: second, edit }], means, edit.what) : "held";
    }
  },
};

/** Ether that a claim costs, in wei. */
const priceOf = (outcome: Outcome) =>
  "done" in outcome ? (pricesOf(outcome.done).get("ether") ?? 0n) : undefined;

/** Counts a person twice in a list of verifications, and in the batch of a wallet that delegates to code (EIP-7702). */
const inOneTransaction: Attack = {
  name: "twice in one transaction",
  async *run(scene) {
    const { first, second, stranger } = scene.wallets;
    const way = await findWay(scene, {});
    if ("refusal" in way) return void (yield way);
    const isMore = ({ done }: { done: Done }, wallet: string, own: Effect) =>
      wallet === first
        ? isTwice(way.gains, way.done.amounts, done.amounts)
        : own.size > 0 && overlap(own, done.effect) >= 0.5 && !isMoved(wallet, done);
    /** Whether the first wallet has lost what the second one gets. */
    const isMoved = (wallet: string, { effect }: Done) => {
      const ofFirst = wallet === second ? valuesIn(firstAlone) : new Set<string>();
      return ofFirst.size > 0 && overlap(ofFirst, effect) === 0;
    };
    const ofSecond = await scene.gains({ wallet: second });
    const firstAlone = "gains" in ofSecond ? gainsOfOne(way.gains, ofSecond.gains) : new Set<string>();
    const valid = await scene.mint();
    const draft = await scene.branch(() => scene.draft({ verification: valid }));
    const lists = [
      ...(draft ? [[scene.short, draft] as const] : []),
      ...(await otherClaims(scene, first, "alice", valid)),
    ];
    for (const [name, call] of lists) {
      for (const [next, what] of [
        [valid, "the same verification twice"],
        [madeUp, "a made-up verification after a true one"],
      ] as const) {
        const twice = scene.recorded.doubled(call, valid, next);
        const once = twice && (await scene.stage.simulate(call));
        if (twice === undefined || !once || !("done" in once)) continue;
        yield await scene.branch(async () => {
          const outcome = await scene.send(
            `The first wallet calls ${name} with one item more in each list.`,
            twice,
          );
          if (!("done" in outcome)) return "held";
          // New ids are in other slots, so that there are more of them.
          const { done } = outcome;
          const isDouble = isTwice(way.gains, once.done.amounts, done.amounts);
          if (!isDouble && done.effect.size <= once.done.effect.size) return "held";
          const message = `${name} counts ${what} in one list: verify and remember each before the next.`;
          return { found: scene.found(message, { change: "one verification more in the list" }) };
        });
      }
    }
    const functions = readFunctions(scene.target.abi);
    for (const [name, call] of await otherClaims(scene, first, "alice", valid)) {
      const twice = repeatItems(functions, call);
      const once = twice && (await scene.stage.simulate(call));
      if (twice === undefined || !once || !("done" in once)) continue;
      yield await scene.branch(async () => {
        const outcome = await scene.send(`The first wallet calls ${name} with the last item twice.`, twice);
        const price = priceOf(once);
        if (!("done" in outcome) || priceOf(outcome) !== price) return "held";
        if (!isTwice(way.gains, once.done.amounts, outcome.done.amounts)) return "held";
        const message = `${name} gives as often what ${scene.short} gives as its list is long, for one verification: count the person for each item.`;
        return { found: scene.found(message, { entryPoint: name, change: "the last item twice" }) };
      });
    }
    if (scene.isTrusted) return;
    yield* paidOnce(scene);
    yield* withDoors(scene, way.gains);
    const plans: readonly Play[] = [
      ...((await pays(scene)) ? [] : [{}]),
      { wallet: second },
      { wallet: stranger, verification: madeUp },
      { wallet: stranger, verification: valid },
    ];
    for (const plan of plans) {
      const { wallet = first } = plan;
      const control = await findWay(scene, { wallet, identity: "carol" });
      if ("refusal" in control) {
        yield control;
        continue;
      }
      const own = gainsOfOne(control.gains, way.gains);
      yield await scene.branch(async () => {
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
        if (!("done" in outcome) || !isMore(outcome, wallet, own)) return "held";
        return {
          found: scene.found(
            `${scene.short} admits again in one transaction whom it has just admitted: remember the identity in storage, and verify each time.`,
          ),
        };
      });
    }
  },
};

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
        return {
          found: scene.found(
            `${door.name} gives again what ${scene.short} gave, in the same transaction: forget there whom it has let in.`,
            { entryPoint: door.name },
          ),
        };
      });
      if (verdict !== undefined) yield verdict;
      if (typeof verdict === "object" && "found" in verdict) break;
    }
  }
}

/** Claims from a contract, which claims again when it is called back. */
const reentered: Attack = {
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
      ...(await otherClaims(scene, intruder, "alice")),
    ] as const) {
      const two = await scene.branch(() => through(scene, intruder, first, again));
      const afterwards = await scene.branch(async () => {
        await through(scene, intruder, first, claim);
        return through(scene, intruder, first, again);
      });
      // This claim counts again without a callback, so the attack shows nothing.
      if (!("done" in two) || isAdmitted(afterwards, two.done.effect)) continue;
      const shown = await scene.branch(async (): Promise<Verdict> => {
        const both = await through(scene, intruder, first, claim, again);
        const isCounted = ([mark, amount]: [string, bigint]) =>
          "done" in both &&
          !mark.includes(intruder) &&
          !/^ether .*\+$/.test(mark) &&
          (both.done.amounts.get(mark) ?? 0n) >= (one.done.amounts.get(mark) ?? 0n) + amount;
        if (![...two.done.amounts].some(isCounted)) return "held";
        const way = name === scene.short ? "" : ` through ${name}`;
        return {
          found: scene.found(
            `${scene.short} can be re-entered${way} by the receiver of what it sends, and counts a person twice: call _verifyOnce before you send anything.`,
          ),
        };
      });
      if (typeof shown === "object") return shown;
    }
    return "held";
  });
  if (verdict !== undefined) yield verdict;
}

/** Whether a claim costs ether or tokens. */
async function pays(scene: Scene): Promise<boolean> {
  const way = await findWay(scene, {});
  return "done" in way && pricesOf(way.done).size > 0;
}

/** Lets a counted person come by the contract's other functions that take a verification. */
const acrossEntryPoints: Attack = {
  name: "same person across entry points",
  async *run(scene) {
    const { second } = scene.wallets;
    yield* afterwards(scene);
    yield* await scene.branch(() => withdraw(scene));
    const names = (await otherClaims(scene, second)).map(([name]) => name);
    for (const [i, name] of names.entries()) {
      yield await scene.branch(async (): Promise<Verdict> => {
        const own = await scene.gains({ wallet: second, identity: "carol" });
        const before = await scene.play();
        if (!("done" in before) || "refusal" in own)
          return { refusal: "refusal" in own ? own.refusal : scene.sayRefusal(before) };
        const callAs = async (identity: string) => (await otherClaims(scene, second, identity))[i]?.[1];
        const tryAs = async (identity: string): Promise<Outcome> => {
          const call = await callAs(identity);
          return call === undefined ? { revert: "0x" } : scene.stage.simulate(call);
        };
        const control = scene.compare(await tryAs("carol"), await tryAs("dave"));
        if ("refusal" in control) return { refusal: `${name}: ${control.refusal}` };
        const call = await callAs("alice");
        if (call === undefined) return "held";
        const outcome = await scene.send(`The second wallet calls ${name} as alice.`, call);
        if (!isAdmitted(outcome, control.gains)) return "held";
        // Two functions that count in rounds of their own, for different things, are meant so.
        const areRounds = [before, outcome].every((each) =>
          /[1-9a-f]/.test(roundsOf(each).replaceAll("0x", "")),
        );
        const [one, two] = [own.done.amounts, control.done.amounts];
        const same = [...valuesIn(control.gains)].filter((mark) => one.get(mark) === two.get(mark));
        if (
          areRounds &&
          roundsOf(before) !== roundsOf(outcome) &&
          2 * same.length <= valuesIn(control.gains).size
        )
          return "held";
        return {
          found: scene.found(
            `${name} admits a person who has been counted by ${scene.short}: let both remember identities in one place, as _verifyOnce does.`,
            { entryPoint: name },
          ),
        };
      });
    }
  },
};

/** Lets a counted person call another function, such as one that withdraws, and come again with another wallet. */
async function withdraw(scene: Scene): Promise<Verdict[]> {
  const { first, second } = scene.wallets;
  const carol = { wallet: second, identity: "carol" };
  const given = await learnGiven(scene);
  const counted = await scene.play();
  const now = await findWay(scene, carol);
  if (given === undefined || !("done" in counted) || "refusal" in now) return [];
  const claimed = given(counted.done);
  const comeAgain = (edit: Edit | undefined) => scene.play({ wallet: second, edit });
  // Another attack shows that.
  if (isAdmitted(await scene.branch(() => comeAgain(now.edit)), now.gains)) return [];
  const verdicts: Verdict[] = [];
  for (const [name, call] of await otherClaims(scene, first, "alice", undefined, true)) {
    const verdict = await scene.branch(async (): Promise<Verdict> => {
      const left = await scene.send(`The first wallet calls ${name} as alice.`, call);
      const way = await findWay(scene, carol);
      if ("refusal" in way) return way;
      const again = await comeAgain(way.edit);
      if (!isAdmitted(again, way.gains) || !isCountedTwice(claimed, [left, again])) return "held";
      const message = `After ${name}, a person whom ${scene.short} has counted counts again, and keeps what it gave: take it back, or keep the identity used.`;
      return { found: scene.found(message, { entryPoint: name }) };
    });
    verdicts.push(verdict);
  }
  return verdicts;
}

/** Lets a counted person, or a stranger who has seen the verification, come by a function that is open to counted people only. */
async function* afterwards(scene: Scene): AsyncIterable<Verdict> {
  const { second, stranger } = scene.wallets;
  const before = new Set((await otherClaims(scene, second)).map(([name]) => name));
  const seen = await scene.mint();
  const forged = { ...seen, signature: madeUp.signature };
  for (const [wallet, verification] of [
    [second, undefined],
    [stranger, forged],
  ] as const) {
    const [own, ofFirst] = [await scene.gains({ wallet }), await scene.gains({})];
    if ("refusal" in own || "refusal" in ofFirst) continue;
    const alone = valuesIn(gainsOfOne(own.gains, ofFirst.gains));
    // A vote is written where all votes are.
    const gains = alone.size > 0 ? alone : valuesIn(own.gains);
    const losses = [...valuesIn(gainsOfOne(ofFirst.gains, own.gains))].map((mark) => lossOf(mark));
    const verdicts = await scene.branch(async () => {
      const counted = await scene.play();
      const calls = await otherClaims(scene, wallet, "alice", verification, true);
      const isTaken = (outcome: Outcome) =>
        "done" in counted &&
        "done" in outcome &&
        [...counted.done.amounts].some(
          ([mark, amount]) => isGrowth(mark) && outcome.done.amounts.get(lossOf(mark)) === amount,
        );
      const all: Verdict[] = [];
      for (const [name, call] of calls) {
        if (before.has(name)) continue;
        all.push(
          await scene.branch(async () => {
            const outcome = await scene.send(`${scene.nameOf(wallet)} calls ${name} as alice.`, call);
            const effect = effectOf(outcome);
            const isGiven = gains.size > 0 && overlap(gains, effect) >= 0.5;
            const isStolen = verification !== undefined && isTaken(outcome);
            // A person who moves to another wallet leaves the first one.
            const isMoved = verification === undefined && losses.some((mark) => effect.has(mark));
            if (!isStolen && (!isGiven || isMoved)) return "held";
            const message =
              verification === undefined
                ? `${name} gives a person another time what ${scene.short} gave, which the first wallet keeps: take it back.`
                : `${name} takes what ${scene.short} gave from its person, for anybody who has seen the identity hash: verify its caller.`;
            return { found: scene.found(message, { entryPoint: name }) };
          }),
        );
      }
      return all;
    });
    yield* verdicts;
  }
}

export const counting: readonly Attack[] = [
  ...returns.map(comeAgain),
  choosing,
  forgedWithChoice,
  inOneTransaction,
  acrossEntryPoints,
  reentered,
];
