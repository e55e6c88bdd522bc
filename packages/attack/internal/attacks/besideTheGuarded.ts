import { firstOf, short } from "../attack.ts";
import { accepted, onDoors } from "../doors.ts";
import { type Effect, gainsOfOne, overlap, shared } from "../effect.ts";
import type { Door } from "../functions.ts";
import { effectOf, type Ready, type Scene } from "../scene.ts";
import { type Done, identityUsed } from "../stage.ts";

/** Finds a function that gives without a verification what an entry point gives with one. */
export const besideTheGuarded = onDoors("door beside the guarded one", give, passOn);

async function give(scene: Scene, entry: Ready) {
  const { stranger } = scene.wallets;
  const gains = worthHaving(await scene.gains(entry, stranger));
  const ofAll = worthHaving(await scene.gains(entry));
  const own = gainsOfOne(gains, ofAll);
  const worth = own.size > 0 ? own : gains;
  const payment = `ether ${scene.target.address} -`;
  const isSame = (effect: Effect) => {
    if (gains.has(payment) && effect.has(payment)) return true;
    // A transfer of nothing is told in an event, and changes nothing.
    const isReal = slotsIn(worth) === 0 || slotsIn(shared(worth, effect)) > 0;
    return overlap(worth, effect) >= 0.5 && isReal;
  };
  return async (door: Door) =>
    firstOf(await accepted(scene, door, stranger), ({ choice, done }) =>
      scene.branch(async () => {
        if (!isSame(done.effect) || !isSame(effectOf(await scene.call(door, stranger, choice))))
          return undefined;
        const which = short(door) === short(entry) ? door.name : "it";
        return scene.found(
          `${short(door)} gives without a verification what ${short(entry)} gives with one: let ${which} verify, or revert.`,
        );
      }),
    );
}

/** Lets a person be admitted, who then tries to give others as much, and to keep it. */
async function passOn(scene: Scene, entry: Ready) {
  const { first, stranger } = scene.wallets;
  const [ofFirst, ofStranger] = [await scene.gains(entry), await scene.gains(entry, stranger)];
  const own = [...gainsOfOne(ofStranger, ofFirst)].filter((mark) => mark.startsWith("slot "));
  if (own.length === 0) return undefined;
  const ownOfFirst = [...gainsOfOne(ofFirst, ofStranger)];
  const losses = ownOfFirst.map((mark) => mark.replace(/\+$/, "-"));
  const claimed = await scene.claim(entry);
  if (!("done" in claimed)) return undefined;
  return async (door: Door) => {
    const ways = await accepted(scene, door, first, { addresses: [stranger] });
    const given = ways.filter(({ done: { effect } }) => own.every((mark) => effect.has(mark)));
    const kept = given.find(({ done: { effect } }) => !losses.some((mark) => effect.has(mark)));
    // A transfer to the sender's own wallet must not increase its balance.
    const isAsMuch = (mark: string, { amounts }: Done) =>
      mark.startsWith("slot ") && (amounts.get(mark) ?? 0n) >= (claimed.done.amounts.get(mark) ?? 1n);
    const doubled = ways.find(({ done }) => ownOfFirst.some((mark) => isAsMuch(mark, done)));
    const way = kept ?? doubled;
    if (given.length === 0 || way === undefined) return undefined;
    return scene.branch(async () => {
      await scene.call(door, first, way.choice);
      const message =
        way === kept
          ? `gives without a verification what ${short(entry)} gives with one, to whomever a verified wallet names: let it verify, or revert.`
          : `doubles what ${short(entry)} gives, if a wallet moves it to itself: read what the receiver has after the sender has less.`;
      return scene.found(`${short(door)} ${message}`);
    });
  };
}

const slotsIn = (marks: Effect) => [...marks].filter((mark) => mark.startsWith("slot ")).length;

/** A claim's gains without the record that it was made. */
const worthHaving = (gains: ReadonlySet<string>) =>
  new Set([...gains].filter((mark) => !mark.endsWith(` ${identityUsed}`)));
