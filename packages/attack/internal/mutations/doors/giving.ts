// Does another function give what a claim gives, or what the contract has?

import { accountOf } from "../../../wallets.ts";
import {
  type Effect,
  gainsOfOne,
  isGrowth,
  isMultiple,
  lossOf,
  overlap,
  shared,
  slotsIn,
} from "../../effect.ts";
import { type Door, short } from "../../functions.ts";
import { effectOf, incomesOf, isDearer, payoutsOf, pricesOf, tokensPaid, wordsOf } from "../../gains.ts";
import type { Choice } from "../../invent.ts";
import { findWay } from "../../judge.ts";
import {
  type Attempt,
  callDoor,
  composeCall,
  findWays,
  openingsOf,
  type Way,
  type Wish,
} from "../../openings.ts";
import type { Scene } from "../../scene.ts";
import { type Done, identityUsed, month } from "../../stage.ts";
import { nothing, show } from "./show.ts";

/** A claim's gains without the record that it was made. */
const worthHaving = (gains: Effect) =>
  new Set([...gains].filter((mark) => !mark.endsWith(` ${identityUsed}`)));

/** The same without the ether that the contract credits, if a claim gives more than that: anybody may pay it in. */
function withoutDeposit(
  scene: Scene,
  { gains, done }: { readonly gains: Effect; readonly done: Done },
): Effect {
  const all = worthHaving(gains);
  const { value = 0n } = scene.recorded.call;
  const isCredit = (mark: string) => {
    const amount = done.amounts.get(mark) ?? 0n;
    // Numbers that large are hashes, such as an identity's.
    return mark.startsWith("slot ") && value > 1n && (amount === value || amount > 2n ** 200n);
  };
  const rest = new Set([...all].filter((mark) => !isCredit(mark)));
  return slotsIn(rest).size > 0 ? rest : all;
}

/** Lets a stranger try to get without a verification what a claim gives with one. */
export const give = (scene: Scene): Promise<Attempt | undefined> => giveAs(scene, {});

async function giveAs(scene: Scene, wish: Wish): Promise<Attempt | undefined> {
  const { stranger } = scene.wallets;
  const [mine, others] = [await scene.ownGains({ wallet: stranger }), await scene.ownGains({})];
  if ("refusal" in mine || "refusal" in others) return undefined;
  // The steps after the verification belong to the claim, too.
  const whole = scene.later > 0 ? [await scene.gains({ wallet: stranger }), await scene.gains({})] : [];
  // The stranger does all that comes before the claim.
  const draft = await scene.draft({ wallet: stranger, identity: "mallory" });
  const given = draft && scene.recorded.argumentsOf(draft);
  const [gains, ofFirst] = [mine, others].map((each) => withoutDeposit(scene, each)) as [Effect, Effect];
  // The gains of the stranger's wallet alone, or of the first one alone.
  const [all, allOfFirst] = whole.map((each) =>
    "gains" in each ? worthHaving(each.gains) : new Set<string>(),
  );
  const both = [
    gainsOfOne(gains, ofFirst),
    gainsOfOne(ofFirst, gains),
    ...(all && allOfFirst ? [gainsOfOne(all, allOfFirst), gainsOfOne(allOfFirst, all)] : []),
  ];
  const wishes = both.some(({ size }) => size > 0) ? both : [gains];
  const payment = `ether ${scene.target.address} -`;
  // Some of it stands where all share a place, such as that of the highest bidder.
  const named = wordsOf(mine.done, stranger).map(([mark]) => mark);
  const isNamed = (done: Done) => wordsOf(done, stranger).some(([mark]) => named.includes(mark));
  const isSame = (done: Done) => {
    const { effect } = done;
    if (gains.has(payment) && effect.has(payment)) return true;
    // All that a claim writes, for whomever it is.
    const written = [...slotsIn(gains)];
    if (written.length > 0 && written.every((mark) => effect.has(mark))) return true;
    // A transfer of nothing is told in an event, and changes nothing.
    const isReal = (worth: Effect) =>
      slotsIn(worth).size === 0 || slotsIn(shared(worth, effect)).size > 0 || isNamed(done);
    return wishes.some((worth) => worth.size > 0 && overlap(worth, effect) >= 0.5 && isReal(worth));
  };
  // As much of what a wallet has is the same, whatever the function is called.
  const slots = [...slotsIn(gainsOfOne(gains, ofFirst))];
  const isAsMuch = ({ amounts }: Done) =>
    slots.filter((mark) => amounts.get(mark) === mine.done.amounts.get(mark)).length >=
    Math.max(1, slots.length / 2);
  const claims = [mine, ...whole].flatMap((each) => ("done" in each ? [each.done] : []));
  /** Whether one wei is enough, and two bring no more: then there is no price. */
  const isForAnyPrice = async (door: Door, choice: Choice, done: Done) => {
    if (choice.value !== 1n || tokensPaid(done).length > 0) return false;
    const more = await scene.stage.simulate(composeCall(scene, door, stranger, { ...choice, value: 2n }));
    const got = [...slotsIn(shared(gains, done.effect))];
    return "done" in more && got.every((mark) => more.done.amounts.get(mark) === done.amounts.get(mark));
  };
  return async function* (door) {
    yield* show(
      scene,
      await findWays(scene, door, stranger, { ...wish, ...(given && { given }) }),
      async ({ choice, done }) => {
        if (!isSame(done) && !isAsMuch(done)) return undefined;
        // A thing that anybody may buy for more than a claim costs is sold, not claimed.
        if (isDearer(done, claims) && !(await isForAnyPrice(door, choice, done))) return undefined;
        if (effectOf(await callDoor(scene, door, stranger, choice)).size === 0) return undefined;
        const which = short(door) === scene.short ? door.name : "it";
        return `${short(door)} gives without a verification what ${scene.short} gives with one: let ${which} verify, or revert.`;
      },
    );
  };
}

/** The same once somebody has claimed, of whom a function may take something, or whose claim has opened it. */
export async function giveLater(scene: Scene): Promise<Attempt | undefined> {
  const { claimed } = await openingsOf(scene);
  const isConcerned = (door: Door) => claimed.has(door) || /address/.test(door.name);
  if (!scene.doors.some(isConcerned)) return undefined;
  await scene.play({ wallet: scene.wallets.third, identity: "dave" });
  const attempt = await giveAs(scene, { addresses: [scene.wallets.third], amounts: scene.recorded.amounts });
  return attempt && ((door) => (isConcerned(door) ? attempt(door) : nothing()));
}

/** Lets a person be admitted, who then tries to give others as much, and to keep it. */
export async function passOn(scene: Scene): Promise<Attempt | undefined> {
  const { first, third, stranger } = scene.wallets;
  const [ofFirst, ofStranger] = [await findWay(scene, {}), await findWay(scene, { wallet: stranger })];
  if ("refusal" in ofFirst || "refusal" in ofStranger) return undefined;
  const own = [...slotsIn(gainsOfOne(ofStranger.gains, ofFirst.gains))];
  const ownOfFirst = [...gainsOfOne(ofFirst.gains, ofStranger.gains)];
  const claimed = await scene.play();
  if (!("done" in claimed)) return undefined;
  const losses = ownOfFirst.filter((mark) => mark.startsWith("slot ")).map((mark) => lossOf(mark));
  const totals = [...shared(ofFirst.gains, ofStranger.gains)].filter(isGrowth);
  const isAgain = (marks: readonly string[], { amounts }: Done) =>
    marks.some(
      (mark) =>
        isMultiple(claimed.done.amounts, amounts, mark) &&
        amounts.get(mark) === claimed.done.amounts.get(mark),
    );
  /** Whether a total grows again for a counted person, such as a count of votes, and for nobody else. */
  const isCountedAgain = async ({ door, choice, done }: Way) => {
    if (!isAgain(totals, done)) return false;
    const byOther = await scene.stage.simulate(composeCall(scene, door, stranger, choice));
    return !("done" in byOther) || !isAgain(totals, byOther.done);
  };
  const amounts = ownOfFirst.flatMap((mark) => claimed.done.amounts.get(mark) ?? []).slice(0, 2);
  const { openings } = await openingsOf(scene);
  /** Whether the owner has let this person alone call a function. */
  const isOfficial = async ({ door, choice }: Way) => {
    if (openings.get(door)?.caller !== scene.target.owner) return false;
    return scene.branch(async () => {
      await scene.play({ wallet: third, identity: "dave" });
      return !("done" in (await scene.stage.simulate(composeCall(scene, door, third, choice))));
    });
  };
  return async function* (door, opening) {
    const ways = await findWays(scene, door, first, { addresses: [stranger], amounts });
    // A person who gives something back before has it once.
    const still = ownOfFirst.filter((mark) => opening === undefined || !effectOf(opening).has(lossOf(mark)));
    const byStranger = await findWays(scene, door, stranger, { addresses: [first], amounts });
    const taken = byStranger.filter(({ done }) => !isDearer(done, [ofStranger.done]));
    // A stranger who takes half of it for nothing has it from nobody, while a person may hand a part of theirs on.
    const isHalf = ({ done }: Way) =>
      pricesOf(done).size === 0 &&
      2 * own.filter((mark) => done.amounts.get(mark) === ofStranger.done.amounts.get(mark)).length >=
        own.length;
    const isWhole = ({ done: { effect } }: Way) => own.every((mark) => effect.has(mark));
    const given =
      own.length === 0
        ? []
        : ways.filter(isWhole).concat(taken.filter((each) => isWhole(each) || isHalf(each)));
    const kept = given.find(({ done: { effect } }) => !losses.some((mark) => effect.has(mark)));
    // A thing that costs something is no gift.
    const free = ways.filter(({ done }) => pricesOf(done).size === 0);
    let way = kept ?? free.find(({ done }) => isAgain(still, done));
    for (const each of free) way ??= (await isCountedAgain(each)) ? each : undefined;
    if (way === undefined || (await isOfficial(way))) return void (yield "held");
    yield* show(scene, [way], async ({ caller, choice }) => {
      await callDoor(scene, door, caller, choice);
      if (way === kept)
        return `${short(door)} gives without a verification what ${scene.short} gives with one, to whomever a verified wallet names: let it verify, or revert.`;
      return /address/.test(door.name)
        ? `${short(door)} doubles what ${scene.short} gives, if a wallet moves it to itself: read what the receiver has after the sender has less.`
        : `${short(door)} gives a verified wallet again what ${scene.short} gives: let it give nothing more.`;
    });
  };
}

/** Lets people claim, and a stranger try to take most of the ether that the contract then has, or its tokens. */
export async function take(scene: Scene): Promise<Attempt | undefined> {
  const { first, stranger, second } = scene.wallets;
  const { address } = scene.target;
  await scene.play();
  await scene.play({ wallet: second, identity: "bob" });
  // Events tell it.
  const { identityHash: word } = await scene.mint();
  const balance = await scene.stage.node.request({ method: "eth_getBalance", params: [address, "latest"] });
  const most = BigInt(String(balance));
  return async function* (door) {
    const ways = await findWays(scene, door, stranger, { addresses: [first], word });
    yield* show(scene, ways, async ({ choice, done }) => {
      if (door.name.includes("address") && choice.addresses?.[0] === first) {
        await scene.pass(month);
        const outcome = await callDoor(scene, door, stranger, choice);
        if (!("done" in outcome) || pricesOf(outcome.done).size > 0) return undefined;
        const [payouts, own] = [payoutsOf(outcome.done, address), incomesOf(outcome.done)];
        const isAll = [...own].some(([what, amount]) => what !== "ether" && payouts.get(what) === amount);
        return isAll
          ? `${short(door)} pays a stranger what a person whom they name has earned: pay it to the person.`
          : undefined;
      }
      if (await isGift(scene, door, choice)) {
        return `${short(door)} gives tokens to anybody, without a verification: let only people whom ${scene.short} has counted have them.`;
      }
      const taken = done.amounts.get(`ether ${address} -`) ?? 0n;
      if (taken === 0n || 2n * taken < most || !done.effect.has(`ether ${stranger} +`)) return undefined;
      await callDoor(scene, door, stranger, choice);
      return `${short(door)} gives anybody the ether of the contract: let only its owner take it.`;
    });
  };
}

/** Whether a function gives tokens to an account that nobody has prepared, for nothing. */
async function isGift(scene: Scene, door: Door, choice: Choice): Promise<boolean> {
  const newcomer = accountOf("newcomer");
  await scene.stage.act(newcomer);
  const outcome = await scene.stage.simulate(
    composeCall(scene, door, newcomer, { ...choice, addresses: [newcomer], value: 0n, given: {} }),
  );
  if (!("done" in outcome) || pricesOf(outcome.done).size > 0) return false;
  return [...incomesOf(outcome.done).keys()].some((what) => what !== "ether");
}
