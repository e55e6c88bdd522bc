// What do the functions do that take no verification?
import { type ContractAttack, firstOf, short } from "../attack.ts";
import { accepted, callersOf, onDoors, tryDoors } from "../doors.ts";
import { type Effect, gainsOfOne, overlap, type Places, shared } from "../effect.ts";
import type { Door } from "../functions.ts";
import type { Choice } from "../invent.ts";
import { effectOf, type Found, type Ready, readAddress, type Scene } from "../scene.ts";
import { type Done, identityUsed, month } from "../stage.ts";
import { roundsOf } from "./counting.ts";
import { askings, explainChange, listen } from "./policy.ts";

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

/** Finds a function after which a counted identity counts again, at once or later. */
export const freeing = onDoors("identity freed by another function", free, (scene, entry) =>
  free(scene, entry, month),
);

async function free(scene: Scene, entry: Ready, seconds = 0) {
  const { first, second } = scene.wallets;
  const gains = await scene.gains(entry, second);
  const counted = await scene.claim(entry);
  if (seconds > 0) await scene.stage.pass(seconds);
  const again = { wallet: second };
  if (gains.size === 0) return undefined;
  const { identityHash: word } = await scene.mint();
  const frees = async (door: Door, caller: string, choice: Choice) => {
    const byItself = await scene.branch(() => scene.claim(entry, again));
    // If time, or the move that opened the function, already frees it, the call is not the cause.
    if (scene.isAdmitted(byItself, gains)) return undefined;
    await scene.call(door, caller, choice);
    const outcome = await scene.claim(entry, again);
    if (!scene.isAdmitted(outcome, gains)) return undefined;
    const isOwner = caller === scene.target.owner;
    // Its owner may begin a new round for everybody.
    if (isOwner && roundsOf(outcome) !== roundsOf(counted)) return undefined;
    const by = isOwner ? "its owner calls" : "somebody calls";
    const message = `After ${by} ${short(door)}, a person whom ${short(entry)} has counted counts again with another wallet: keep the identity used.`;
    return scene.found(message);
  };
  return async (door: Door) => {
    const touching = await scene.about(entry, again, scene.stage.placesOf);
    // A person who has lost a wallet moves to another one.
    const addresses = [first, second];
    return firstOf(callersOf(scene, first), async (caller) =>
      firstOf(await accepted(scene, door, caller, { addresses, word, touching }), ({ choice }) =>
        scene.branch(() => frees(door, caller, choice)),
      ),
    );
  };
}

/** Finds a function that changes whom the contract admits, or who says so. */
export const ruling: ContractAttack = {
  name: "policy or registry that changes",
  run: (scene) => tryDoors(scene, [async () => (door) => change(scene, door)]),
};

async function change(scene: Scene, door: Door): Promise<Found | undefined> {
  const touching = await placesOfRule(scene);
  return firstOf(callersOf(scene), (caller) =>
    firstOf([caller, scene.rogueRegistry], async (address) => {
      const ways = await accepted(scene, door, caller, { addresses: [address], touching });
      const act = { door, caller, address };
      const shown = await firstOf(ways, ({ choice }) => scene.branch(() => rule(scene, act, choice)));
      return shown ?? (ways.length > 0 ? lower(scene, act) : undefined);
    }),
  );
}

/** On what parts of the state it depends whom the contract admits. */
async function placesOfRule(scene: Scene): Promise<Places> {
  const { first } = scene.wallets;
  const said = await Promise.all(askings(scene).map((call) => scene.stage.placesOf(call)));
  for (const entry of scene.entryPoints) {
    said.push(await scene.about(entry, { wallet: first }, scene.stage.placesOf));
  }
  return new Set(said.flatMap((each) => [...each]));
}

/** A call of a function by somebody, which may change the rules. */
interface Act {
  readonly door: Door;
  readonly caller: string;
  readonly address: string;
}

const whenOf = (scene: Scene, { door, caller }: Act) =>
  `${caller === scene.target.owner ? "its owner calls" : "anybody calls"} ${short(door)}`;

async function rule(scene: Scene, act: Act, choice: Choice): Promise<Found | undefined> {
  const { door, caller, address } = act;
  const { stranger } = scene.wallets;
  const before = await listen(scene);
  const outcome = await scene.call(door, caller, choice);
  if (!("done" in outcome)) return undefined;
  const when = whenOf(scene, act);
  const now = await listen(scene);
  const message = explainChange(before, now, `when ${when}`);
  if (message !== undefined) return scene.found(message);
  const isTaken = before.owner !== now.owner && readAddress(now.owner) === stranger;
  if (caller === stranger && isTaken) {
    return scene.found(
      `Anybody becomes the owner by ${short(door)}, and rules as the owner does: let it run once, or for the owner only.`,
    );
  }
  if (address !== scene.rogueRegistry) return undefined;
  return firstOf(scene.entryPoints, (entry) => forge(scene, entry, when));
}

/** Claims with a verification that only the rogue registry accepts. */
async function forge(scene: Scene, entry: Ready, when: string): Promise<Found | undefined> {
  // An entry point that admits anything does so with any registry.
  if (scene.unguarded.has(entry)) return undefined;
  return scene.branch(async () => {
    const forged = await scene.claim(entry, { mint: scene.rogueMint });
    if (!scene.isAdmitted(forged, await scene.gains(entry))) return undefined;
    return scene.found(
      `When ${when}, another registry decides whom ${short(entry)} admits: keep the registry in an immutable.`,
    );
  });
}

/** Raises a cutoff and then lowers it, if a function does that. */
async function lower(scene: Scene, act: Act): Promise<Found | undefined> {
  const { door, caller } = act;
  return scene.branch(async () => {
    let before = await listen(scene);
    for (const number of [10n ** 6n, 5n, 0n]) {
      await scene.call(door, caller, { number, items: 1, value: 0n });
      const after = await listen(scene);
      const message = explainChange(before, after, `when ${whenOf(scene, act)}`);
      if (message !== undefined) return scene.found(message);
      before = after;
    }
    return undefined;
  });
}

/** Finds a function by which a stranger keeps a person out. */
export const lockingOut = onDoors("locked out by a stranger", lockOut);

async function lockOut(scene: Scene, entry: Ready) {
  const { first, stranger } = scene.wallets;
  const gains = await scene.gains(entry);
  const own = { wallet: first };
  const { identityHash: word } = await scene.mint(own);
  const isLetIn = async () => scene.isAdmitted(await scene.claim(entry, own), gains);
  const locks = async (door: Door, choice: Choice) => {
    // The move that opened the function may have closed the entry point.
    if (!(await scene.branch(isLetIn))) return undefined;
    const outcome = await scene.call(door, stranger, choice);
    if (!("done" in outcome) || (await isLetIn())) return undefined;
    return scene.found(
      `Once a stranger calls ${short(door)}, ${short(entry)} refuses a person who has not been counted: let only a verification use an identity up.`,
    );
  };
  return async (door: Door) => {
    const touching = await scene.about(entry, own, scene.stage.placesOf);
    const ways = await accepted(scene, door, stranger, { addresses: [first], word, touching });
    return firstOf(ways, ({ choice }) =>
      // An allowlist gives the person's place to nobody else.
      choice.isListed ? undefined : scene.branch(() => locks(door, choice)),
    );
  };
}

const slotsIn = (marks: Effect) => [...marks].filter((mark) => mark.startsWith("slot ")).length;

/** A claim's gains without the record that it was made. */
const worthHaving = (gains: ReadonlySet<string>) =>
  new Set([...gains].filter((mark) => !mark.endsWith(` ${identityUsed}`)));
