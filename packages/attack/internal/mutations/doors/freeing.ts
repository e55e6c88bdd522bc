// Does another function let a counted person come again, or keep somebody out?
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { substitute } from "../../calldata.ts";
import { type Effect, isGrowth, isMultiple, isTouched, lossOf, slotsIn } from "../../effect.ts";
import { type Door, short } from "../../functions.ts";
import {
  creditsOf,
  effectOf,
  idsOf,
  isAdmitted,
  isPaidBack,
  isQuotaFreed,
  isRenamed,
  isUndone,
  placesOfOne,
  pricesOf,
  roundsOf,
} from "../../gains.ts";
import { findWay, learnGiven, pairOf, type Verdict } from "../../judge.ts";
import {
  type Attempt,
  callDoor,
  composeCall,
  findWays,
  openingsOf,
  tryWithGrants,
  type Way,
} from "../../openings.ts";
import type { Change } from "../../play.ts";
import type { Scene } from "../../scene.ts";
import { type Done, day, mergeDone, type Outcome } from "../../stage.ts";
import { aboutClaim, ask, nothing, show } from "./show.ts";

/** The calls of a claim after the one that takes the verification. */
type Rest = Scene["learned"]["rest"];

/** Counts a person, and sees whether a function lets them come again. */
export const free =
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
    const hasTwice = async (effect: Effect) => {
      const again = await scene.play();
      const isKept = (mark: string) => !effect.has(lossOf(mark));
      const isAgain = (mark: string) =>
        "done" in again && isMultiple(counted.done.amounts, again.done.amounts, mark);
      return own.some((mark) => isKept(mark) && isAgain(mark));
    };
    const { rest } = scene.learned;
    // With time, another round may begin.
    const isRepeated = seconds > 0 ? undefined : await repeating(scene, rest, counted.done, carol.done);
    if (seconds > 0) await scene.pass(seconds);
    const claimed = given(counted.done);
    const parts = await refusedParts(scene);
    return async function* (door) {
      const about = [
        await aboutClaim(scene, first),
        await aboutClaim(scene, second),
        ...(await Promise.all(rest.map(({ call }) => scene.stage.placesOf(call)))),
      ];
      const touching = new Set(about.flatMap((each) => [...each]));
      // If time, or the move that opened the function, already frees the person, the call is not the cause.
      const byItself = await scene.branch(() => scene.play({ wallet: second, edit: carol.edit }));
      if (isAdmitted(byItself, carol.gains)) return;
      const hasAnyway = await scene.branch(() => hasTwice(new Set()));
      for (const caller of ask(scene, first)) {
        // A person who has lost a wallet moves to another one.
        const ways = await findWays(scene, door, caller, {
          addresses: [first, second],
          word: claimed.identityHash,
          touching,
          amounts: [...idsOf(counted.done), ...(isRepeated ? creditsOf(counted.done) : [])],
        });
        yield* show(scene, ways, async ({ choice, done }) => {
          const isOwner = caller === scene.target.owner;
          // An owner may raise a limit, or begin a season, for everybody.
          if (isOwner && !isTouched(done.changed, placesOfOne(claimed))) return undefined;
          await callDoor(scene, door, caller, choice);
          if (!hasAnyway && (await scene.branch(() => hasTwice(done.effect)))) {
            await scene.play();
            return `After ${short(door)}, a wallet that keeps what ${scene.short} gave claims again: take it back, or keep the identity used.`;
          }
          const isLater = (await scene.stage.time()) - began >= day;
          if (!isOwner && !isLater && (await isRepeated?.(done))) {
            return `After ${short(door)}, a person makes the rest of the claim again, and keeps what it gave: count what each person has had, whatever their wallet has now.`;
          }
          if (isQuotaFreed(claimed, done) || isUndone(claimed, done) || isPaidBack(claimed, done))
            return undefined;
          // Of several things that a claim gave, one that is handed on may free its own place.
          const isHandedOn = [...carol.gains].some(
            (mark) => isGrowth(mark) && done.effect.has(mark) && !counted.done.effect.has(mark),
          );
          let again: Outcome | undefined;
          for (const { edit, gains } of isHandedOn ? [carol, ...parts] : [carol]) {
            const outcome = await scene.play({ wallet: second, edit });
            if (!isAdmitted(outcome, gains)) continue;
            again = outcome;
            break;
          }
          if (again === undefined) {
            const control = await scene.play({ wallet: second, identity: "carol", edit: carol.edit });
            return "done" in control ? undefined : { refusal: scene.sayRefusal(control) };
          }
          // Its owner may begin a new round for everybody, and anybody may when its time has come.
          if ((isOwner || isLater) && roundsOf(again) !== roundsOf(counted)) return undefined;
          const by = isOwner ? "its owner calls" : "somebody calls";
          return `After ${by} ${short(door)}, a person whom ${scene.short} has counted counts again with another wallet: keep the identity used.`;
        });
      }
    };
  };

/** The parts of a claim that are refused to a counted person, and to nobody else. */
async function refusedParts(scene: Scene): Promise<{ edit: Change; gains: Effect }[]> {
  const { second } = scene.wallets;
  const found: { edit: Change; gains: Effect }[] = [];
  for (const { edit } of scene.recorded.halves) {
    const control = await scene.gains({ wallet: second, identity: "carol", edit });
    if ("refusal" in control) continue;
    const outcome = await scene.branch(() => scene.play({ wallet: second, edit }));
    if (!isAdmitted(outcome, control.gains)) found.push({ edit, gains: control.gains });
  }
  return found;
}

/** Makes the calls of a claim that come after its verification; answers what they did, if all of them succeed. */
async function makeRest(scene: Scene, rest: Rest, wallet: string): Promise<Done | undefined> {
  const { first } = scene.wallets;
  const all: Done[] = [];
  for (const { call } of rest) {
    const own = { ...substitute(call, first, wallet), from: wallet };
    const outcome = await scene.send(`${scene.nameOf(wallet)} makes the rest of the claim.`, own);
    if (!("done" in outcome)) return undefined;
    all.push(outcome.done);
  }
  return all.reduce(mergeDone);
}

/**
 * Prepares to ask whether another function lets a counted person make the rest of a claim again, with the same wallet or
 * with another one, and have more by it. `undefined` if there is no rest, or either wallet has more by it anyway.
 */
async function repeating(
  scene: Scene,
  rest: Rest,
  counted: Done,
  carol: Done,
): Promise<((door: Done) => Promise<boolean>) | undefined> {
  const { first, second } = scene.wallets;
  if (rest.length === 0 || !rest.every(({ call }) => checksumAddress(call.from) === first)) return undefined;
  const repeat = (wallet: string) => scene.branch(() => makeRest(scene, rest, wallet));
  const { address } = scene.target;
  const payout = `ether ${address} -`;
  const isTotal = (mark: string) => counted.amounts.has(mark) && carol.amounts.has(mark);
  const ofFirst = [...rest.map(({ done }) => done).reduce(mergeDone).effect].filter(
    (mark) => isGrowth(mark) && !isTotal(mark),
  );
  /** Whether a wallet has as much again, beyond what another function has taken from it. */
  const hasMore = (wallet: string, again: Done, door?: Done) => {
    const lost = (mark: string) => door?.amounts.get(lossOf(mark)) ?? 0n;
    const usual = wallet === first ? counted : carol;
    const paid = (again.amounts.get(payout) ?? 0n) - (door?.amounts.get(`ether ${address} +`) ?? 0n);
    const usually = usual.amounts.get(payout) ?? 0n;
    if (usually > 0n && paid >= usually) return true;
    const grown = [...again.amounts.keys()].filter((mark) => isGrowth(mark) || /^ether .*\+$/.test(mark));
    // A person who has given back what the claim gave may have it again.
    const given = [...grown.filter(isTotal), ...(wallet === first ? [] : ofFirst)];
    if (given.some((mark) => lost(mark) >= (counted.amounts.get(mark) ?? 0n))) return false;
    return grown.some((mark) => {
      const [once, now] = [usual.amounts.get(mark), again.amounts.get(mark) ?? 0n];
      return isGrowth(mark) && once !== undefined && once < 2n ** 200n && now - lost(mark) >= once;
    });
  };
  const hasAnyway = async (wallet: string) => {
    const again = await repeat(wallet);
    return again !== undefined && hasMore(wallet, again);
  };
  if ((await hasAnyway(first)) || (await hasAnyway(second))) return undefined;
  return async (door) => {
    for (const wallet of [first, second]) {
      const again = await repeat(wallet);
      if (again === undefined || !hasMore(wallet, again, door)) continue;
      await makeRest(scene, rest, wallet);
      return true;
    }
    return false;
  };
}

/** Lets a stranger try to keep a person out, by a function that a claim opens. */
export async function lockOutLater(scene: Scene): Promise<Attempt | undefined> {
  const { claimed } = await openingsOf(scene);
  if (!scene.doors.some((door) => claimed.has(door))) return undefined;
  await scene.play({ wallet: scene.wallets.third, identity: "dave" });
  const attempt = await lockOut(scene);
  return attempt && ((door) => (claimed.has(door) ? attempt(door) : nothing()));
}

/** Lets a stranger try to take from a person what a claim has given, without giving anything to anybody. */
export async function rob(scene: Scene): Promise<Attempt | undefined> {
  const { first, second, stranger } = scene.wallets;
  const pair = await pairOf(scene, [{}, { wallet: second }]);
  if ("refusal" in pair) return undefined;
  const losses = [...pair.own].filter(isGrowth).map(lossOf);
  const claimed = await scene.play();
  if (!("done" in claimed)) return undefined;
  const amounts = idsOf(claimed.done);
  const means = `lets anybody take from a person what ${scene.short} has given: let only its owner call it, or the person.`;
  const { openings } = await openingsOf(scene);
  const judge = async ({ door, choice, done }: Way, isOffered: boolean): Promise<string | undefined> => {
    const { effect, amounts } = done;
    const isTaken = pricesOf(done).size === 0 && isRenamed(claimed.done, done, first);
    if (!isTaken) {
      const lost = new Set(losses.flatMap((mark) => amounts.get(mark) ?? []));
      if (lost.size === 0) return undefined;
      // A number that grows for each caller, such as a count of what was burnt, is nobody's.
      const addresses = choice.addresses?.map((each) => (each === stranger ? second : each));
      const asAnother = composeCall(scene, door, second, { ...choice, addresses });
      const another = effectOf(await scene.stage.simulate(asAnother));
      const isOwn = (mark: string) => isGrowth(mark) && !another.has(mark);
      const gains = [...effect].filter((mark) => isOwn(mark) || /^ether .*\+$/.test(mark));
      const isStolen = (mark: string) =>
        lost.has(amounts.get(mark) ?? 0n) && (isOwn(mark) || mark === `ether ${stranger} +`);
      const isTraded = isOffered || pricesOf(done).size > 0;
      if (gains.length > 0 && (isTraded || !gains.some(isStolen))) return undefined;
    }
    await callDoor(scene, door, stranger, choice);
    return `${short(door)} ${means}`;
  };
  const take = async function* (door: Door, isOffered: boolean): AsyncIterable<Verdict> {
    const ways = await findWays(scene, door, stranger, { addresses: [first], amounts });
    yield* show(scene, ways, (way) => judge(way, isOffered));
  };
  // Before the person has called a function that lets others have something.
  const isByPerson = (door: Door) => openings.get(door)?.caller === first;
  const unasked = new Map<Door, Verdict[]>();
  for (const door of scene.doors.filter(isByPerson))
    unasked.set(door, await tryWithGrants(scene, door, () => take(door, false)));
  return async function* (door) {
    yield* unasked.get(door) ?? [];
    yield* take(door, isByPerson(door));
  };
}

/** Lets a stranger try to keep a person out. */
export async function lockOut(scene: Scene): Promise<Attempt | undefined> {
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

/** Lets the owner call functions that nobody else may call, and a stranger try to undo that. */
export async function wipe(scene: Scene): Promise<Attempt | undefined> {
  const { first, stranger } = scene.wallets;
  const { address: consumer, owner } = scene.target;
  const official: Way[] = [];
  for (const door of owner === undefined ? [] : scene.doors) {
    for (const way of (await findWays(scene, door, String(owner), { addresses: [first] })).slice(0, 2)) {
      const byStranger = await scene.stage.simulate(composeCall(scene, door, stranger, way.choice));
      if (slotsIn(way.done.effect).size > 0 && !("done" in byStranger)) official.push(way);
    }
  }
  return async function* (door) {
    for (const written of official.slice(0, 6)) {
      if (written.door === door) continue;
      yield* await scene.branch(async () => {
        await callDoor(scene, written.door, written.caller, written.choice);
        const ways = await findWays(scene, door, stranger, {
          addresses: [first],
          touching: written.done.changed,
        });
        const verdicts: Verdict[] = [];
        for await (const verdict of show(scene, ways, async ({ choice, done }) => {
          if (!isUndone({ done: written.done, consumer }, done)) return undefined;
          await callDoor(scene, door, stranger, choice);
          return `${short(door)} lets anybody undo what only the owner does by ${short(written.door)}: let only the owner call it.`;
        }))
          verdicts.push(verdict);
        return verdicts;
      });
    }
  };
}
