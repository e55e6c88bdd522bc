// The contract's other functions: they may give away, undo, or keep something from people.
import { accountOf } from "../../wallets.ts";
import { type Effect, gainsOfOne, isGrowth, isTouched, overlap, type Places, shared } from "../effect.ts";
import { type Door, short } from "../functions.ts";
import {
  creditsOf,
  effectOf,
  idsOf,
  isAdmitted,
  isQuotaFreed,
  paymentOf,
  payoutsOf,
  roundsOf,
  tokensPaid,
} from "../gains.ts";
import { delegate, intrude, passing, through } from "../intruder.ts";
import { type Choice, choices } from "../invent.ts";
import { type Attack, findWay, learnGiven, type Verdict } from "../judge.ts";
import {
  type Attempt,
  atEachDoor,
  callDoor,
  composeCall,
  findWays,
  openingsOf,
  type Way,
  type Wish,
} from "../openings.ts";
import type { Scene } from "../scene.ts";
import { type Call, type Done, day, identityUsed, month, type Outcome, readAddress } from "../stage.ts";
import { askings, explainChange, listen } from "./policy.ts";

/** Makes an attack of plans, each of which prepares a state and answers what to try in it. */
const onDoors = (
  name: string,
  ...plans: readonly ((scene: Scene) => Promise<Attempt | undefined>)[]
): Attack => ({
  name,
  async *run(scene) {
    const shown = new Set<Door>();
    for (const plan of plans) yield* atEachDoor(scene, () => plan(scene), shown);
  },
});

/** Calls a function as it was tried, and composes a finding if that shows a fault. */
const show = (
  scene: Scene,
  ways: readonly Way[],
  judge: (way: Way) => Promise<string | { readonly refusal: string } | undefined>,
) =>
  verdicts(ways, (way) =>
    scene.branch(async (): Promise<Verdict> => {
      const message = await judge(way);
      if (typeof message === "object") return message;
      return message === undefined ? "held" : { found: scene.found(message) };
    }),
  );

async function* verdicts<T>(
  items: readonly T[],
  judge: (item: T) => Promise<Verdict>,
): AsyncIterable<Verdict> {
  for (const item of items) yield await judge(item);
}

const ask = ({ wallets, target: { owner } }: Scene, ...more: readonly string[]) => [
  ...more,
  wallets.stranger,
  ...(owner === undefined ? [] : [owner]),
];

/** A claim's gains without the record that it was made. */
const worthHaving = (gains: Effect) =>
  new Set([...gains].filter((mark) => !mark.endsWith(` ${identityUsed}`)));
const slotsIn = (marks: Effect) => [...marks].filter((mark) => mark.startsWith("slot ")).length;

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
  return slotsIn(rest) > 0 ? rest : all;
}

/** Lets a stranger try to get without a verification what a claim gives with one. */
async function give(scene: Scene, wish: Wish = {}): Promise<Attempt | undefined> {
  const { stranger } = scene.wallets;
  const [mine, others] = [await scene.ownGains({ wallet: stranger }), await scene.ownGains({})];
  if ("refusal" in mine || "refusal" in others) return undefined;
  // The stranger does all that comes before the claim.
  const draft = await scene.draft({ wallet: stranger, identity: "mallory" });
  const given = draft && scene.recorded.argumentsOf(draft);
  const [gains, ofFirst] = [mine, others].map((each) => withoutDeposit(scene, each)) as [Effect, Effect];
  // The gains of the stranger's wallet alone, or of the first one alone.
  const both = [gainsOfOne(gains, ofFirst), gainsOfOne(ofFirst, gains)];
  const wishes = both.some(({ size }) => size > 0) ? both : [gains];
  const payment = `ether ${scene.target.address} -`;
  const isSame = (effect: Effect) => {
    if (gains.has(payment) && effect.has(payment)) return true;
    // All that a claim writes, for whomever it is.
    const written = [...gains].filter((mark) => mark.startsWith("slot "));
    if (written.length > 0 && written.every((mark) => effect.has(mark))) return true;
    // A transfer of nothing is told in an event, and changes nothing.
    const isReal = (worth: Effect) => slotsIn(worth) === 0 || slotsIn(shared(worth, effect)) > 0;
    return wishes.some((worth) => worth.size > 0 && overlap(worth, effect) >= 0.5 && isReal(worth));
  };
  // As much of what a wallet has is the same, whatever the function is called.
  const slots = [...gainsOfOne(gains, ofFirst)].filter((mark) => mark.startsWith("slot "));
  const isAsMuch = ({ amounts }: Done) =>
    slots.filter((mark) => amounts.get(mark) === mine.done.amounts.get(mark)).length >=
    Math.max(1, slots.length / 2);
  return async function* (door) {
    yield* show(
      scene,
      await findWays(scene, door, stranger, { ...wish, ...(given && { given }) }),
      async ({ choice, done }) => {
        if (!isSame(done.effect) && !isAsMuch(done)) return undefined;
        if (effectOf(await callDoor(scene, door, stranger, choice)).size === 0) return undefined;
        const which = short(door) === scene.short ? door.name : "it";
        return `${short(door)} gives without a verification what ${scene.short} gives with one: let ${which} verify, or revert.`;
      },
    );
  };
}

/** The same once somebody has claimed, of whom a function may take something, or whose claim has opened it. */
async function giveLater(scene: Scene): Promise<Attempt | undefined> {
  const { claimed } = await openingsOf(scene);
  const isConcerned = (door: Door) => claimed.has(door) || /address/.test(door.name);
  if (!scene.doors.some(isConcerned)) return undefined;
  await scene.play({ wallet: scene.wallets.third, identity: "dave" });
  const attempt = await give(scene, { addresses: [scene.wallets.third], amounts: scene.recorded.amounts });
  return attempt && ((door) => (isConcerned(door) ? attempt(door) : nothing()));
}

async function* nothing(): AsyncIterable<Verdict> {}

/** Whether a word of storage grows by as much again; several numbers may share a word, of which another one may grow. */
const isMultiple = (once: bigint | undefined, again: bigint | undefined, mark: string): boolean =>
  mark.startsWith("slot ") && once !== undefined && again !== undefined && again % once === 0n;

/** Lets a person be admitted, who then tries to give others as much, and to keep it. */
async function passOn(scene: Scene): Promise<Attempt | undefined> {
  const { first, stranger } = scene.wallets;
  const [ofFirst, ofStranger] = [await findWay(scene, {}), await findWay(scene, { wallet: stranger })];
  if ("refusal" in ofFirst || "refusal" in ofStranger) return undefined;
  const own = [...gainsOfOne(ofStranger.gains, ofFirst.gains)].filter((mark) => mark.startsWith("slot "));
  const ownOfFirst = [...gainsOfOne(ofFirst.gains, ofStranger.gains)];
  const claimed = await scene.play();
  if (own.length === 0 || !("done" in claimed)) return undefined;
  const losses = ownOfFirst
    .filter((mark) => mark.startsWith("slot "))
    .map((mark) => mark.replace(/\+$/, "-"));
  const isAgain = ({ amounts }: Done) =>
    ownOfFirst.some((mark) => isMultiple(claimed.done.amounts.get(mark), amounts.get(mark), mark));
  // A thing that costs something is no gift.
  const isPaid = ({ effect }: Done) =>
    [...effect].some(
      (mark) =>
        mark === `ether ${scene.target.address} +` ||
        (/^slot .*-$/.test(mark) && !mark.includes(scene.target.address)),
    );
  const amounts = ownOfFirst.flatMap((mark) => claimed.done.amounts.get(mark) ?? []).slice(0, 2);
  return async function* (door) {
    const ways = await findWays(scene, door, first, { addresses: [stranger], amounts });
    const given = ways.filter(({ done: { effect } }) => own.every((mark) => effect.has(mark)));
    const kept = given.find(({ done: { effect } }) => !losses.some((mark) => effect.has(mark)));
    const doubled = ways.find(({ done }) => !isPaid(done) && isAgain(done));
    const way = kept ?? doubled;
    if (way === undefined) return void (yield "held");
    yield* show(scene, [way], async ({ choice }) => {
      await callDoor(scene, door, first, choice);
      return way === kept
        ? `${short(door)} gives without a verification what ${scene.short} gives with one, to whomever a verified wallet names: let it verify, or revert.`
        : /address/.test(door.name)
          ? `${short(door)} doubles what ${scene.short} gives, if a wallet moves it to itself: read what the receiver has after the sender has less.`
          : `${short(door)} gives a verified wallet again what ${scene.short} gives: let it give nothing more.`;
    });
  };
}

/** Lets people claim, the first of them be named by the last, and a wallet call a function again and again that pays it. */
async function again(scene: Scene): Promise<Attempt | undefined> {
  const { first, second, third } = scene.wallets;
  const { address } = scene.target;
  const paidIn = await scene.play();
  if (!("done" in paidIn)) return undefined;
  await scene.play({ wallet: second, identity: "bob" });
  const named = scene.recorded.free.filter(({ type }) => type.type === "address");
  const edits = [...named.map((leaf) => scene.recorded.change(leaf, first)), undefined];
  for (const edit of edits)
    if ("done" in (await scene.play({ wallet: third, identity: "dave", edit }))) break;
  await scene.pass(month);
  const amounts = creditsOf(paidIn.done);
  const payoutOf = (outcome: Outcome) =>
    "done" in outcome && tokensPaid(outcome.done, address).size === 0
      ? [...payoutsOf(outcome.done, address)].filter(([, amount]) => amount > 0n).join()
      : "";
  return async function* (door) {
    const ways = await findWays(scene, door, first, { amounts });
    const paying = ways.filter(({ done }) => payoutOf({ done }) !== "" && done.effect.size > 0);
    yield* show(scene, paying.slice(0, 4), async ({ choice, done }) => {
      // Part of a deposit may be taken twice, and all of it once.
      if (/int\d/.test(door.name) && !paysBack(done)) return undefined;
      const payout = payoutOf({ done });
      for (let i = 0; i < 3; ++i) {
        if (payoutOf(await callDoor(scene, door, first, choice)) !== payout) return undefined;
      }
      return `${short(door)} pays what ${scene.short} gave as often as it is called: write down what was paid.`;
    });
  };

  /** Whether as much comes back as the claim has paid. */
  function paysBack(done: Done): boolean {
    const price = "done" in paidIn ? paymentOf(paidIn.done, address) : 0n;
    return price > 0n && (done.amounts.get(`ether ${address} -`) ?? 0n) >= price;
  }
}

/** Lets people claim, and a stranger try to take most of the ether that the contract then has, or its tokens. */
async function take(scene: Scene): Promise<Attempt | undefined> {
  const { stranger, second } = scene.wallets;
  const { address } = scene.target;
  await scene.play();
  await scene.play({ wallet: second, identity: "bob" });
  const balance = await scene.stage.node.request({ method: "eth_getBalance", params: [address, "latest"] });
  const most = BigInt(String(balance));
  return async function* (door) {
    yield* show(scene, await findWays(scene, door, stranger), async ({ choice, done }) => {
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
  const { address } = scene.target;
  const newcomer = accountOf("newcomer");
  await scene.stage.act(newcomer);
  const outcome = await scene.stage.simulate(
    composeCall(scene, door, newcomer, { ...choice, address: newcomer, value: 0n, given: {} }),
  );
  if (!("done" in outcome) || tokensPaid(outcome.done, address).size > 0) return false;
  return [...payoutsOf(outcome.done, address)].some(([token, amount]) => token !== "ether" && amount > 0n);
}

/** Reads on what parts of the state a claim depends. */
const aboutClaim = (scene: Scene, wallet: string): Promise<Places> =>
  scene.branch(async () => {
    const call = await scene.draft({ wallet });
    return call === undefined ? new Set<string>() : scene.stage.placesOf(call);
  });

/** Counts a person, and sees whether a function lets them come again. */
const free =
  (seconds: number) =>
  async (scene: Scene): Promise<Attempt | undefined> => {
    const { first, second } = scene.wallets;
    const given = await learnGiven(scene);
    const counted = await scene.play();
    const began = await scene.stage.time();
    const carol = await findWay(scene, { wallet: second, identity: "carol" });
    if (!("done" in counted) || "refusal" in carol || given === undefined) return undefined;
    const own = [...counted.done.effect].filter((mark) => isGrowth(mark) && !carol.gains.has(mark));
    /** Whether the same wallet gets as much again of what a call has not taken. */
    const hasTwice = async ({ effect }: Done) => {
      const again = await scene.play();
      const isKept = (mark: string) => !effect.has(mark.replace(/\+$/, "-"));
      const isAgain = (mark: string) =>
        "done" in again && isMultiple(counted.done.amounts.get(mark), again.done.amounts.get(mark), mark);
      return own.some((mark) => isKept(mark) && isAgain(mark));
    };
    if (seconds > 0) await scene.pass(seconds);
    const claimed = given(counted.done);
    return async function* (door) {
      const about = [await aboutClaim(scene, first), await aboutClaim(scene, second)];
      const touching = new Set(about.flatMap((each) => [...each]));
      // If time, or the move that opened the function, already frees the person, the call is not the cause.
      const byItself = await scene.branch(() => scene.play({ wallet: second, edit: carol.edit }));
      if (isAdmitted(byItself, carol.gains)) return;
      for (const caller of ask(scene, first)) {
        // A person who has lost a wallet moves to another one.
        const ways = await findWays(scene, door, caller, {
          addresses: [first, second],
          word: claimed.identityHash,
          touching,
          amounts: idsOf(counted.done),
        });
        yield* show(scene, ways, async ({ choice, done }) => {
          await callDoor(scene, door, caller, choice);
          if (await scene.branch(() => hasTwice(done))) {
            await scene.play();
            return `After ${short(door)}, a wallet that keeps what ${scene.short} gave claims again: take it back, or keep the identity used.`;
          }
          if (isQuotaFreed(claimed, done)) return undefined;
          const outcome = await scene.play({ wallet: second, edit: carol.edit });
          if (!isAdmitted(outcome, carol.gains)) {
            const control = await scene.play({ wallet: second, identity: "carol", edit: carol.edit });
            return "done" in control ? undefined : { refusal: scene.sayRefusal(control) };
          }
          const isOwner = caller === scene.target.owner;
          // Its owner may begin a new round for everybody, and anybody may when its time has come.
          const isLater = (await scene.stage.time()) - began >= day;
          if ((isOwner || isLater) && roundsOf(outcome) !== roundsOf(counted)) return undefined;
          const by = isOwner ? "its owner calls" : "somebody calls";
          return `After ${by} ${short(door)}, a person whom ${scene.short} has counted counts again with another wallet: keep the identity used.`;
        });
      }
    };
  };

/** Lets a stranger try to keep a person out, by a function that a claim opens. */
async function lockOutLater(scene: Scene): Promise<Attempt | undefined> {
  const { claimed } = await openingsOf(scene);
  if (!scene.doors.some((door) => claimed.has(door))) return undefined;
  await scene.play({ wallet: scene.wallets.third, identity: "dave" });
  const attempt = await lockOut(scene);
  return attempt && ((door) => (claimed.has(door) ? attempt(door) : nothing()));
}

/** Lets a stranger try to take from a person what a claim has given, without giving anything to anybody. */
async function rob(scene: Scene): Promise<Attempt | undefined> {
  const { first, second, stranger } = scene.wallets;
  const [ofFirst, ofSecond] = [await scene.gains({}), await scene.gains({ wallet: second })];
  if ("refusal" in ofFirst || "refusal" in ofSecond) return undefined;
  const losses = [...gainsOfOne(ofFirst.gains, ofSecond.gains)]
    .filter(isGrowth)
    .map((mark) => mark.replace(/\+$/, "-"));
  const claimed = await scene.play();
  if (!("done" in claimed)) return undefined;
  const amounts = idsOf(claimed.done);
  return async function* (door) {
    const ways = await findWays(scene, door, stranger, { addresses: [first], amounts });
    yield* show(scene, ways, async ({ choice, done: { effect } }) => {
      const isLoss = losses.some((mark) => effect.has(mark));
      if (!isLoss || [...effect].some((mark) => /^(slot|ether) .*\+$/.test(mark))) return undefined;
      await callDoor(scene, door, stranger, choice);
      return `${short(door)} lets anybody take from a person what ${scene.short} has given: let only its owner call it, or the person.`;
    });
  };
}

/** Lets a stranger try to keep a person out. */
async function lockOut(scene: Scene): Promise<Attempt | undefined> {
  const { first, stranger } = scene.wallets;
  const way = await findWay(scene, {});
  if ("refusal" in way) return undefined;
  const { identityHash: word } = await scene.mint();
  const isLetIn = async () => isAdmitted(await scene.play({ edit: way.edit }), way.gains);
  return async function* (door) {
    const touching = await aboutClaim(scene, first);
    const ways = await findWays(scene, door, stranger, { addresses: [first], word, touching });
    yield* show(scene, ways, async ({ choice }) => {
      // The move that opened the function may have closed the entry point.
      if (!(await scene.branch(isLetIn))) return undefined;
      const outcome = await callDoor(scene, door, stranger, choice);
      if (!("done" in outcome) || (await isLetIn())) return undefined;
      return `Once a stranger calls ${short(door)}, ${scene.short} refuses a person who has not been counted: let only a verification use an identity up, and only the owner close the contract.`;
    });
  };
}

/** Lets the owner and a stranger try to change whom the contract admits, or who says so. */
async function rule(scene: Scene): Promise<Attempt | undefined> {
  const { stranger } = scene.wallets;
  const said = await Promise.all(askings(scene).map((call) => scene.stage.placesOf(call)));
  const touching = new Set(
    [...said, await aboutClaim(scene, scene.wallets.first)].flatMap((each) => [...each]),
  );
  const way = await findWay(scene, {});
  return async function* (door) {
    for (const caller of ask(scene)) {
      const when = `when ${caller === scene.target.owner ? "its owner calls" : "anybody calls"} ${short(door)}`;
      for (const address of [caller, scene.rogueRegistry]) {
        const ways = await findWays(scene, door, caller, { addresses: [address], touching });
        yield* show(scene, ways, async ({ choice }) => {
          const before = await listen(scene);
          if (!("done" in (await callDoor(scene, door, caller, choice)))) return undefined;
          const now = await listen(scene);
          const message = explainChange(before, now, when);
          if (message !== undefined) return message;
          const isTaken = before.owner !== now.owner && readAddress(now.owner) === stranger;
          if (caller === stranger && isTaken) {
            return `Anybody becomes the owner by ${short(door)}, and rules as the owner does: let it run once, or for the owner only.`;
          }
          if ("refusal" in way) return undefined;
          if (caller === stranger && scene.sender !== undefined) {
            const taken = await scene.play({ sender: stranger, edit: way.edit });
            if (isAdmitted(taken, way.gains)) {
              return `Anybody becomes the caller whom ${scene.short} trusts, by ${short(door)}: let it run once, or for the owner only.`;
            }
          }
          if (address !== scene.rogueRegistry) return undefined;
          const forged = await scene.play({ mint: scene.rogueMint, edit: way.edit });
          if (!isAdmitted(forged, way.gains)) return undefined;
          return `W${when.slice(1)}, another registry decides whom ${scene.short} admits: keep the registry in an immutable.`;
        });
      }
      yield* lower(scene, door, caller, when);
    }
    yield* dictate(scene, door, way);
  };
}

/** Lets a stranger say how much claims give. */
async function* dictate(
  scene: Scene,
  door: Door,
  way: Awaited<ReturnType<typeof findWay>>,
): AsyncIterable<Verdict> {
  if (!/int\d/.test(door.name) || "refusal" in way) return;
  const { stranger } = scene.wallets;
  const obeyed: string[] = [];
  for (const number of [70_001n, 90_001n]) {
    const marks = await scene.branch(async () => {
      const choice = { number, items: 1, value: 0n, given: {} } as const;
      if (!("done" in (await callDoor(scene, door, stranger, choice)))) return [];
      const outcome = await scene.play({ edit: way.edit });
      const amounts = "done" in outcome ? [...outcome.done.amounts] : [];
      return amounts.flatMap(([mark, amount]) =>
        mark.startsWith("slot ") && amount === number && way.gains.has(mark) ? [mark] : [],
      );
    });
    obeyed.push(marks.join());
  }
  const [one, other] = obeyed;
  if (one === "" || one !== other) return;
  yield await scene.branch(async (): Promise<Verdict> => {
    await callDoor(scene, door, stranger, { number: 90_001n, items: 1, value: 0n, given: {} });
    await scene.play({ edit: way.edit });
    return {
      found: scene.found(
        `Anybody says by ${short(door)} how much ${scene.short} gives: let only its owner say that.`,
      ),
    };
  });
}

/** Raises a cutoff and then lowers it, if a function does that. */
async function* lower(scene: Scene, door: Door, caller: string, when: string): AsyncIterable<Verdict> {
  if (!/int\d/.test(door.name)) return;
  const [message, transactions] = await scene.branch(async () => {
    let before = await listen(scene);
    for (const number of [10n ** 6n, 5n, 0n]) {
      await callDoor(scene, door, caller, { number, items: 1, value: 0n, given: {} });
      const after = await listen(scene);
      const change = explainChange(before, after, when);
      if (change !== undefined) return [change, scene.found(change)] as const;
      before = after;
    }
    return [];
  });
  if (message !== undefined && transactions !== undefined) yield { found: transactions };
}

/** Calls a function from a verified contract that calls back, and compares its gains with those of the same calls in turn. */
async function drain(scene: Scene): Promise<Attempt | undefined> {
  const { first, second, third } = scene.wallets;
  if (scene.isTrusted) return undefined;
  // Fill the contract with other people's payments, which the attack then tries to take.
  await scene.play({ wallet: second, identity: "bob" });
  await scene.play({ wallet: third, identity: "carol" });
  const { intruder } = await intrude(scene);
  const claim = await scene.draft({ wallet: intruder });
  if (claim === undefined) return undefined;
  const claimed = await through(scene, intruder, first, claim);
  if (!("done" in claimed)) return undefined;
  // The second wallet pays no gas, which would change its balance.
  await delegate(scene, second, "attack/Intruder");
  const tokens = [...new Set(claimed.done.logs.map(({ address }) => address))];
  const simulate = async (call: Call) => {
    const outcome = await scene.stage.simulate(passing(intruder, first, call));
    return "done" in outcome ? outcome.done : undefined;
  };
  // All that a claim gave is paid twice where a part of it is not.
  const amounts = creditsOf(claimed.done);
  const wealth = (accounts: readonly string[]) => readWealth(scene, accounts, tokens);
  const { moves } = await openingsOf(scene);
  const attempt = async (door: Door): Promise<Verdict | undefined> => {
    let result: Verdict | undefined;
    for (const choice of choices(door, { amounts }).slice(0, 8)) {
      // After the first number that pays, only those that a claim gave.
      if (result !== undefined && !amounts.includes(choice.number)) continue;
      const pay = composeCall(scene, door, intruder, choice);
      if (!(await simulate(pay))?.called.has(intruder)) continue;
      const has = await wealth([intruder]);
      const isPaid = await scene.branch(async () => {
        await through(scene, intruder, first, pay);
        return (await wealth([intruder])).some((amount, i) => amount > (has[i] ?? 0n));
      });
      if (!isPaid) continue;
      const others = scene.doors.flatMap((each) =>
        choices(each)
          .slice(0, 4)
          .map((way) => ({
            each,
            back: composeCall(scene, each, intruder, { ...way, address: second, given: {} }),
          })),
      );
      for (const { each, back } of [{ each: door, back: pay }, ...(result === undefined ? others : [])]) {
        if (back !== pay && !(await simulate(back))) continue;
        const collect = composeCall(scene, door, second, choice);
        const play = async (...calls: (readonly [call: Call, callback?: Call])[]) => {
          for (const [call, callback] of calls) await through(scene, intruder, first, call, callback);
          await through(scene, second, first, collect);
          return wealth([intruder, second]);
        };
        // An amount that grows by the second is not less afterwards.
        const meanwhile = await scene.branch(() => play([pay, back]));
        const inTurn = [
          await scene.branch(() => play([pay])),
          await scene.branch(() => play([pay], [back])),
          await scene.branch(() => play([back], [pay])),
        ];
        if (!meanwhile.some((amount, i) => inTurn.every((amounts) => amount > (amounts[i] ?? 0n)))) continue;
        const what = each === door ? "it again" : short(each);
        return scene.branch(async () => {
          await play([pay, back]);
          return {
            found: scene.found(
              `${short(door)} pays more to a contract that calls ${what} while it is paid: write down what was paid before you pay.`,
            ),
          };
        });
      }
      result = "held";
    }
    return result;
  };
  return async function* (door) {
    const places = await scene.stage.placesOf(
      composeCall(scene, door, first, { number: 1n, items: 1, value: 0n }),
    );
    // Some pay only what was asked for, which takes another call before.
    const relevant = moves.filter(({ changed }) => changed === undefined || isTouched(places, changed));
    for (const move of [undefined, ...relevant]) {
      const verdict = await scene.branch(async () => {
        await move?.run(intruder);
        return attempt(door);
      });
      if (verdict !== undefined) yield verdict;
      if (typeof verdict === "object") return;
    }
  };
}

/** The accounts' total of ether and of each token. */
async function readWealth(
  scene: Scene,
  accounts: readonly string[],
  tokens: readonly string[],
): Promise<bigint[]> {
  const { node, ask: askNode } = scene.stage;
  const each = await Promise.all(
    accounts.map(async (account) => {
      const data = `0x70a08231${account.slice(2).padStart(64, "0")}`;
      const balances = await Promise.all(tokens.map((to) => askNode({ from: account, to, data })));
      const ether = await node.request({ method: "eth_getBalance", params: [account, "latest"] });
      return [String(ether), ...balances].map((balance) => BigInt(balance && balance !== "0x" ? balance : 0));
    }),
  );
  return [0, ...tokens].map((_, i) => each.reduce((sum, has) => sum + (has[i] ?? 0n), 0n));
}

export const doors: readonly Attack[] = [
  onDoors("door beside the guarded one", (scene) => give(scene), giveLater, passOn, again, take),
  onDoors("identity freed by another function", free(0), free(month)),
  onDoors("policy or registry that changes", rule),
  onDoors("locked out by a stranger", lockOut, lockOutLater, rob),
  onDoors("paid twice by calling back", drain),
];
