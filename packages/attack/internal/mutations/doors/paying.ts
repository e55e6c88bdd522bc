// Does another function pay a price or a deposit back, more of it than there was, or to somebody who keeps what it bought?
import { FunctionFragment } from "ethers";
import { listsOf, lossOf } from "../../effect.ts";
import { type Door, short } from "../../functions.ts";
import { creditsOf, effectOf, payoutsOf, pricesOf } from "../../gains.ts";
import { type Attempt, callDoor, composeCall, findWays, openingsOf, type Way } from "../../openings.ts";
import type { Scene } from "../../scene.ts";
import { type Done, month, type Outcome } from "../../stage.ts";
import { type Aftermath, type Judge, show } from "./show.ts";

/** Names of functions by which a person gives up what a claim gave; not those that pay out part of a deposit. */
const givesUp = /refund|cancel|leave|exit|quit|resign|return|withdraw(?!\(uint)/i;

/** The answers about an account of the getters that take one, but for times. */
export async function readStanding({ stage, target }: Scene, account: string): Promise<Map<string, bigint>> {
  const now = BigInt(await stage.time());
  const standing = new Map<string, bigint>();
  for (const each of target.abi) {
    if (each.type !== "function" || !/^(view|pure)$/.test(each.stateMutability ?? "")) continue;
    const { inputs, outputs, selector, name } = FunctionFragment.from(each);
    const isNumber = outputs.length === 1 && /^(bool|uint\d+)$/.test(outputs[0]?.type ?? "");
    if (!isNumber || inputs.length !== 1 || inputs[0]?.type !== "address") continue;
    const data = selector + account.slice(2).toLowerCase().padStart(64, "0");
    const answer = await stage.ask({ from: account, to: target.address, data });
    const number = answer?.length === 66 ? BigInt(answer) : 0n;
    const isTime = number > now / 2n && number < 4n * now;
    if (!isTime) standing.set(name, number);
  }
  return standing;
}

/** Lets a person have the price back, and keep what it bought. */
export async function refund({ scene, claimed, before }: Aftermath): Promise<Judge> {
  const { first, stranger } = scene.wallets;
  const prices = [...pricesOf(claimed)];
  if (prices.length === 0) return async () => undefined;
  const isPrice = (number: bigint) => prices.some(([, price]) => price === number);
  const bought = await readStanding(scene, first);
  // A record of the price alone is a deposit.
  const won = [...bought].filter(([name, number]) => number > (before.get(name) ?? 0n) && !isPrice(number));
  const lists = listsOf(claimed.amounts, first);
  const { claimed: opened, openings } = await openingsOf(scene);
  const isOfPerson = (door: Door) => opened.has(door) || openings.get(door)?.caller === first;
  const paysBack = (done: Done) => {
    const payouts = payoutsOf(done, scene.target.address);
    return pricesOf(done).size === 0 && prices.every(([what, price]) => (payouts.get(what) ?? 0n) >= price);
  };
  /** Whether a person uses then what a claim has opened for them alone. */
  const isUsed = async (door: Door) => {
    for (const each of scene.doors.filter((one) => one !== door && opened.has(one))) {
      const [way] = await findWays(scene, each, first);
      if (way === undefined || pricesOf(way.done).size > 0 || paysBack(way.done)) continue;
      const byStranger = await scene.stage.simulate(composeCall(scene, each, stranger, way.choice));
      if (!("done" in byStranger)) return true;
    }
    return false;
  };
  /** Whether a person keeps a place only, to which they come back for as much. */
  const isPlace = async (door: Door) => {
    for (const each of scene.doors.filter((one) => one !== door && isOfPerson(one))) {
      const ways = await findWays(scene, each, first, { amounts: [...new Map(prices).values()] });
      const comesBack = (way: Way) => prices.every(([what, price]) => pricesOf(way.done).get(what) === price);
      if (ways.some(comesBack)) return true;
    }
    return false;
  };
  return async ({ door, choice, done }) => {
    if (!paysBack(done)) return undefined;
    const outcome = await callDoor(scene, door, first, choice);
    const isListed = lists.some((mark) => !effectOf(outcome).has(lossOf(mark)));
    const now = await readStanding(scene, first);
    // A bond comes back, too, while its person keeps what they have, but not at once.
    const isKept = won.length > 0 && won.every(([name, number]) => (now.get(name) ?? 0n) >= number);
    const isForNothing =
      ((isKept || isListed) && givesUp.test(door.name) && !(await isPlace(door))) ||
      (!openings.has(door) && (await isUsed(door)));
    if (!isForNothing) return undefined;
    return `${short(door)} pays the price of ${scene.short} back to a person who keeps what it gave: take that back.`;
  };
}

/** Lets people claim, the first of them be named by the last, and a wallet call a function again and again that pays it. */
export async function again(scene: Scene): Promise<Attempt | undefined> {
  const { first, second, third } = scene.wallets;
  const { address } = scene.target;
  // A contract with funds of its own may pay more than a price.
  const funds = BigInt(
    String(await scene.stage.node.request({ method: "eth_getBalance", params: [address, "latest"] })),
  );
  const paidIn = await scene.play();
  if (!("done" in paidIn)) return undefined;
  await scene.play({ wallet: second, identity: "bob" });
  const named = scene.recorded.free.filter(({ type }) => type.type === "address");
  const edits = [...named.map((leaf) => scene.recorded.change(leaf, first)), undefined];
  for (const edit of edits)
    if ("done" in (await scene.play({ wallet: third, identity: "dave", edit }))) break;
  await scene.pass(month);
  const amounts = creditsOf(paidIn.done);
  const payoutOf = (outcome: Outcome): [what: string, amount: bigint][] =>
    "done" in outcome && pricesOf(outcome.done).size === 0
      ? [...payoutsOf(outcome.done, address)].filter(([, amount]) => amount > 0n)
      : [];
  /** Functions that pay all of the price, each with its call: of two of them, only the first must pay. */
  const returning: Way[] = [];
  return async function* (door) {
    const ways = await findWays(scene, door, first, { amounts });
    const paying = ways.filter(({ done }) => payoutOf({ done }).length > 0 && done.effect.size > 0);
    const whole = paying.find(({ done }) => paysBack(done));
    if (whole !== undefined) {
      yield* show(scene, funds > 0n ? [] : [...returning], async (other) => {
        await callDoor(scene, door, first, whole.choice);
        const after = await callDoor(scene, other.door, first, other.choice);
        if (!("done" in after) || !paysBack(after.done)) return undefined;
        return `${short(door)} pays the price of ${scene.short} back, and so does ${short(other.door)} afterwards: write down in one place what was paid.`;
      });
      returning.push(whole);
    }
    yield* show(scene, paying.slice(0, 4), async ({ choice, done }) => {
      // Part of a deposit may be taken twice, and all of it once.
      if (/int\d/.test(door.name) && !paysBack(done)) return undefined;
      const payout = payoutOf({ done });
      for (let i = 0; i < 3; ++i) {
        const outcome = await callDoor(scene, door, first, choice);
        // Where the whole is refused the second time, half of it must be, too.
        if (i === 1 && !("done" in outcome) && (await paysHalf(door, payout))) {
          return `${short(door)} pays more than ${scene.short} has brought: write down what was paid.`;
        }
        const next = new Map(payoutOf(outcome));
        // A payout that grows by the second is a little more each time.
        if (i > 0 && payout.some(([what, amount]) => (next.get(what) ?? 0n) < amount)) return undefined;
      }
      return `${short(door)} pays what ${scene.short} gave as often as it is called: write down what was paid.`;
    });
  };

  /** Whether a function still pays half of an amount, for a number that says so. */
  async function paysHalf(door: Door, payout: readonly [what: string, amount: bigint][]): Promise<boolean> {
    if (!/int\d/.test(door.name)) return false;
    const halves = payout.map(([, amount]) => amount / 2n);
    const ways = await findWays(scene, door, first, { amounts: halves });
    const isHalf = ([what, amount]: [string, bigint]) =>
      payout.some(([whole, all]) => what === whole && 2n * amount >= all);
    const way = ways.find((each) => payoutOf(each).some(isHalf));
    if (way !== undefined) await callDoor(scene, door, first, way.choice);
    return way !== undefined;
  }

  /** Whether as much comes back as the claim has paid. */
  function paysBack(done: Done): boolean {
    const prices = "done" in paidIn ? pricesOf(paidIn.done) : new Map<string, bigint>();
    const payouts = payoutsOf(done, address);
    return [...prices].some(([what, price]) => (payouts.get(what) ?? 0n) >= price);
  }
}
