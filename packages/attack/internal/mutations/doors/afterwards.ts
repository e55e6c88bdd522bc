// After a claim: does a person get more of what it gave, as often as they call a function, or does it count again?
import { toBeHex } from "ethers";
import { newcomers } from "../../calldata.ts";
import { gainsOfOne, isGrowth, lossOf, slotsIn } from "../../effect.ts";
import { short } from "../../functions.ts";
import { creditsOf, idsOf, isDearer, isNamedAgain, pricesOf } from "../../gains.ts";
import { pairOf } from "../../judge.ts";
import { type Attempt, callDoor, composeCall, findWays, openingsOf, type Way } from "../../openings.ts";
import type { Scene } from "../../scene.ts";
import type { Done, Outcome } from "../../stage.ts";
import { readStanding, refund } from "./paying.ts";
import { type Aftermath, type Judge, show } from "./show.ts";

/** Lets a person be admitted, and then call other functions. */
export async function afterwards(scene: Scene): Promise<Attempt | undefined> {
  const { first, second, stranger } = scene.wallets;
  const pair = await pairOf(scene, [{}, { wallet: stranger }]);
  if ("refusal" in pair) return undefined;
  const before = await readStanding(scene, first);
  const counted = await scene.play();
  if (!("done" in counted)) return undefined;
  const { done: claimed } = counted;
  const judges: Judge[] = [];
  for (const prepare of [multiply, refund, gather, exceed, overspend, reuse])
    judges.push(await prepare({ scene, claimed, pair, before }));
  const [newcomer = ""] = newcomers;
  const amounts = [...idsOf(claimed), ...creditsOf(claimed)];
  return async function* (door) {
    const ways = await findWays(scene, door, first, { addresses: [second, newcomer], amounts });
    for (const judge of judges) yield* show(scene, ways, judge);
  };
}

/** Gets another thing of the kind, such as a name, beside the first one. */
async function multiply({ scene, claimed }: Aftermath): Promise<Judge> {
  const { first } = scene.wallets;
  return async ({ door, choice, done }) => {
    if (!isNamedAgain(claimed, done, first) || isDearer(done, [claimed])) return undefined;
    await callDoor(scene, door, first, choice);
    return `${short(door)} gives a person another time what ${scene.short} gave, which they keep: take that back.`;
  };
}

/** Calls a function three times by which the person has more of what the claim gave. */
async function gather({ scene, claimed, pair }: Aftermath): Promise<Judge> {
  const { first } = scene.wallets;
  const own = [...pair.own].filter((mark) => isGrowth(mark) && claimed.amounts.has(mark));
  const growing = ({ amounts }: Done) =>
    own.filter((mark) => isMore(claimed.amounts.get(mark) ?? 0n, amounts.get(mark) ?? 0n));
  return async ({ door, choice, done }) => {
    // A thing that grows with time may be as it was in the same second.
    const isOfOwn = done.changed.size === 0 || own.some((mark) => done.amounts.has(mark));
    // A call that names somebody moves what there is.
    const isNamed = door.name.includes("address");
    if (isNamed || pricesOf(done).size > 0 || own.length === 0 || !isOfOwn) return undefined;
    // The time of the last call grows by less from then on.
    await scene.pass(3_600);
    let last = await callDoor(scene, door, first, choice);
    let marks = "done" in last ? growing(last.done) : [];
    for (let i = 0; i < 2 && marks.length > 0; ++i) {
      const next = await callDoor(scene, door, first, choice);
      if (!("done" in next) || !("done" in last)) return undefined;
      const [now, was] = [next.done.amounts, last.done.amounts];
      // Half of the rest, and half of that, is more than a part.
      marks = marks.filter((mark) => 3n * (now.get(mark) ?? 0n) >= (was.get(mark) ?? 0n));
      last = next;
    }
    if (marks.length === 0) return undefined;
    return `${short(door)} gives a person more of what ${scene.short} gave, as often as they call it: let it give once for each claim.`;
  };
}

/** Pays in more of what the claim gave, where the claim has taken as much as it may. */
async function exceed({ scene, claimed, pair }: Aftermath): Promise<Judge> {
  const { first, second, stranger } = scene.wallets;
  const { openings } = await openingsOf(scene);
  const full: string[] = [];
  for (const { of, edit, twice } of scene.recorded.halves) {
    const outcomes = await scene.simulate({ wallet: second, identity: "carol" }, [undefined, edit, twice]);
    const [isUsual, isPart, isAbove] = outcomes.map((outcome) => "done" in outcome);
    const own = [...pair.own].filter((mark) => isGrowth(mark) && claimed.amounts.get(mark) === of);
    if (isUsual && isPart && !isAbove) full.push(...own);
  }
  return async ({ door, choice, done }) => {
    const isMore = full.some((mark) => done.amounts.has(mark));
    if (!isMore || openings.has(door) || pricesOf(done).size === 0) return undefined;
    // Anybody who may buy it may have any amount.
    if ("done" in (await scene.stage.simulate(composeCall(scene, door, stranger, choice)))) return undefined;
    await callDoor(scene, door, first, choice);
    return `${short(door)} gives a person who has all that ${scene.short} gives more of it: compare the sum with the limit.`;
  };
}

/** Whether a word grows by two or more where a claim has written something: another number in it may count calls. */
function isMore(given: bigint, growth: bigint): boolean {
  let at = 0n;
  while (growth > 0n && ((growth >> at) & 255n) === 0n) at += 8n;
  const lane = (1n << BigInt(Math.max(32, growth.toString(2).length - Number(at)))) - 1n;
  return growth >> at > 1n && ((given >> at) & lane) > 0n;
}

/** A byte of storage that holds how many a person has. */
interface Counter {
  readonly contract: string;
  readonly slot: string;
  readonly word: bigint;
  /** The number of bits below it. */
  readonly at: bigint;
}

/** Spends two where the claim gave several of something, such as guests, of which one is left. */
async function overspend({ scene, pair }: Aftermath): Promise<Judge> {
  const { first } = scene.wallets;
  const { node } = scene.stage;
  const counters: Counter[] = [];
  for (const mark of [...pair.own].filter(isGrowth)) {
    const [, contract = "", slot = ""] = mark.split(" ");
    const params = [contract, slot, "latest"];
    const word = BigInt(String(await node.request({ method: "eth_getStorageAt", params })));
    for (let at = 0n; at < 256n; at += 8n) {
      const [count, above] = [(word >> at) & 255n, (word >> (at + 8n)) & 255n];
      if (count > 1n && count <= 100n && above === 0n) counters.push({ contract, slot, word, at });
    }
  }
  const leave = ({ contract, slot, word, at }: Counter, count: bigint) => {
    const value = (word & ~(255n << at)) | (count << at);
    const params = [contract, toBeHex(slot, 32), toBeHex(value, 32)];
    return node.request({ method: "hardhat_setStorageAt", params });
  };
  const [one = "", other = ""] = newcomers;
  return async ({ door, choice, done }) => {
    if (choice.addresses?.[0] !== one || pricesOf(done).size > 0) return undefined;
    const name = (guest: string) => ({ ...choice, addresses: [guest] });
    const isTaken = (counter: Counter, count: bigint) =>
      scene.branch(async () => {
        await leave(counter, count);
        return "done" in (await scene.stage.simulate(composeCall(scene, door, first, choice)));
      });
    for (const counter of counters) {
      if (!(await isTaken(counter, 1n)) || (await isTaken(counter, 0n))) continue;
      const ofOther = await scene.stage.simulate(composeCall(scene, door, first, name(other)));
      await leave(counter, 1n);
      const once = await callDoor(scene, door, first, name(one));
      const twice = await callDoor(scene, door, first, name(other));
      if (!("done" in ofOther) || !("done" in once) || !("done" in twice)) return undefined;
      const ofGuest = [...gainsOfOne(slotsIn(once.done.effect), ofOther.done.effect)].filter(isGrowth);
      const isKept = ofGuest.every((mark) => !twice.done.effect.has(lossOf(mark)));
      if (ofGuest.length === 0 || !isKept) return undefined;
      return `${short(door)} lets a person spend what ${scene.short} gave as often as they call it, as long as one is left: count it down.`;
    }
    return undefined;
  };
}

/** Uses what the claim gave, hands it on to a wallet that has nothing, and uses it there again. */
async function reuse({ scene, claimed, pair }: Aftermath): Promise<Judge> {
  const { first, second } = scene.wallets;
  const touching = new Set([...slotsIn(pair.own)].map((mark) => mark.slice("slot ".length, -" +".length)));
  const handing: Way[] = [];
  for (const door of touching.size === 0 ? [] : scene.doors.filter(({ name }) => name.includes("address"))) {
    const ways = await findWays(scene, door, first, {
      addresses: [second],
      amounts: creditsOf(claimed),
      touching,
    });
    handing.push(...ways.filter(({ done }) => pricesOf(done).size === 0).slice(0, 3));
  }
  /** The totals that a call raises, and that everybody shares. */
  const totalsOf = ({ amounts }: Done) =>
    [...amounts].filter(([mark, amount]) => isGrowth(mark) && amount < 2n ** 200n && !pair.own.has(mark));
  return async ({ door, choice, done }) => {
    const totals = totalsOf(done);
    const others = handing.filter((each) => each.door !== door);
    if (totals.length === 0 || others.length === 0) return undefined;
    const isAgain = (outcome: Outcome) =>
      "done" in outcome && totals.some(([mark, amount]) => (outcome.done.amounts.get(mark) ?? 0n) >= amount);
    const callAs = (wallet: string) => scene.stage.simulate(composeCall(scene, door, wallet, choice));
    if (isAgain(await callAs(second))) return undefined;
    await callDoor(scene, door, first, choice);
    // A wallet that may use it twice has more than one.
    if (isAgain(await callAs(first))) return undefined;
    for (const hand of others) {
      const isCounted = await scene.branch(async () => {
        await callDoor(scene, hand.door, first, hand.choice);
        return isAgain(await callAs(second));
      });
      if (!isCounted) continue;
      await callDoor(scene, hand.door, first, hand.choice);
      await callDoor(scene, door, second, choice);
      return `${short(door)} counts again what ${scene.short} gave, once ${short(hand.door)} has handed it on: count what a wallet had before, or mark what was used.`;
    }
    return undefined;
  };
}
