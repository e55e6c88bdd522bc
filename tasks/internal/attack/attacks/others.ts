// What do the functions do that take no verification?
import { type ContractAttack, type Found, firstOf, found, short } from "../attack.ts";
import { accepted, callersOf, tryDoors } from "../doors.ts";
import { type Effect, gainsOfOne, overlap, shared } from "../effect.ts";
import type { Door } from "../functions.ts";
import type { Choice } from "../invent.ts";
import { type Ready, readAddress, type Scene } from "../scene.ts";
import { identityUsed, month, type Outcome } from "../stage.ts";
import { roundsOf } from "./counting.ts";
import { explainChange, listen, type Said } from "./policy.ts";

const alice = "alice";

/** Finds a function that gives without a verification what an entry point gives with one. */
export const besideTheGuarded: ContractAttack = {
  name: "door beside the guarded one",
  run: (scene) => tryDoors(scene, (door) => firstOf(scene.entryPoints, (entry) => give(scene, door, entry))),
};

async function give(scene: Scene, door: Door, entry: Ready): Promise<Found | undefined> {
  const { first, stranger } = scene.wallets;
  const gains = worthHaving(await scene.gains(entry, stranger));
  const ofAll = worthHaving(await scene.gains(entry, first));
  const own = gainsOfOne(gains, ofAll);
  const worth = own.size > 0 ? own : gains;
  const payment = `ether ${scene.target.address} -`;
  await scene.open(door);
  return firstOf(await accepted(scene, door, stranger), (choice) =>
    scene.branch(async () => {
      const outcome = await scene.call(door, stranger, choice);
      if (!("done" in outcome)) return undefined;
      const { effect } = outcome.done;
      // A transfer of nothing is told in an event, and changes nothing.
      const isReal = slotsIn(worth) === 0 || slotsIn(shared(worth, effect)) > 0;
      const isSame = overlap(worth, effect) >= 0.5 && isReal;
      if (!isSame && !(gains.has(payment) && effect.has(payment))) return undefined;
      return found(
        scene,
        `${short(door)} gives without a verification what ${short(entry)} gives with one: let it verify, or revert.`,
        door.name,
      );
    }),
  );
}

/** Finds a function after which a counted identity counts again. */
export const freeing: ContractAttack = {
  name: "identity freed by another function",
  run: (scene) =>
    tryDoors(scene, (door) =>
      firstOf(scene.entryPoints, (entry) =>
        firstOf(callersOf(scene, scene.wallets.first), (caller) =>
          scene.fresh(() => free(scene, { door, entry, caller })),
        ),
      ),
    ),
};

async function free(
  scene: Scene,
  { door, entry, caller }: { door: Door; entry: Ready; caller: string },
): Promise<Found | undefined> {
  const { first, second } = scene.wallets;
  const gains = await scene.gains(entry, second);
  if (gains.size === 0) return undefined;
  const { identityHash } = await scene.mint({ wallet: first, identity: alice });
  const counted = await scene.claim(entry, { wallet: first, identity: alice });
  return firstOf([0, month], async (wait) => {
    if (wait > 0) await scene.stage.pass(wait);
    // What time alone frees is no other function's doing.
    const byTime =
      wait > 0 && (await scene.branch(() => scene.claim(entry, { wallet: second, identity: alice })));
    if (byTime && scene.isAdmitted(byTime, gains)) return undefined;
    if (wait === 0) await scene.open(door);
    return firstOf(await accepted(scene, door, caller, { address: first, word: identityHash }), (choice) =>
      after(scene, { door, entry, caller, counted }, choice),
    );
  });
}

async function after(
  scene: Scene,
  { door, entry, caller, counted }: { door: Door; entry: Ready; caller: string; counted: Outcome },
  choice: Choice,
): Promise<Found | undefined> {
  const { second } = scene.wallets;
  return scene.branch(async () => {
    const outcome = await scene.call(door, caller, choice);
    if (!("done" in outcome)) return undefined;
    const again = await scene.claim(entry, { wallet: second, identity: alice });
    if (!scene.isAdmitted(again, await scene.gains(entry, second))) return undefined;
    const isOwner = caller === scene.target.owner;
    // Its owner may begin a new round for everybody.
    if (isOwner && roundsOf(again) !== roundsOf(counted)) return undefined;
    const by = isOwner ? "its owner calls" : "somebody calls";
    const message = `After ${by} ${short(door)}, a person whom ${short(entry)} has counted counts again with another wallet: keep the identity used.`;
    return found(scene, message, door.name);
  });
}

/** Finds a function that changes whom the contract admits, or who says so. */
export const ruling: ContractAttack = {
  name: "policy or registry that changes",
  run: (scene) =>
    tryDoors(scene, (door) =>
      scene.fresh(async () => {
        await scene.open(door);
        return firstOf(callersOf(scene), (caller) =>
          firstOf([caller, scene.rogueRegistry], async (address) =>
            firstOf(await accepted(scene, door, caller, { address }), (choice) =>
              scene.branch(() => rule(scene, { door, caller, address }, choice)),
            ),
          ),
        );
      }),
    ),
};

async function rule(
  scene: Scene,
  { door, caller, address }: { door: Door; caller: string; address: string },
  choice: Choice,
): Promise<Found | undefined> {
  const { stranger } = scene.wallets;
  const before = await listen(scene);
  const outcome = await scene.call(door, caller, choice);
  if (!("done" in outcome)) return undefined;
  const by = caller === scene.target.owner ? "its owner calls" : "anybody calls";
  const when = `when ${by} ${short(door)}`;
  const now = await listen(scene);
  const message = explainChange(before, now, when);
  if (message !== undefined) return found(scene, message, door.name);
  const isTaken = before.owner !== now.owner && readAddress(now.owner) === stranger;
  if (caller === stranger && isTaken) {
    return found(
      scene,
      `Anybody becomes the owner by ${short(door)}, and rules as the owner does: let it run once, or for the owner only.`,
      door.name,
    );
  }
  const lowered = await lower(scene, door, caller, now, when);
  if (lowered !== undefined || address !== scene.rogueRegistry) return lowered;
  return firstOf(scene.entryPoints, (entry) => forge(scene, { door, entry, by }));
}

/** Claims with a verification that only the rogue registry accepts. */
async function forge(
  scene: Scene,
  { door, entry, by }: { door: Door; entry: Ready; by: string },
): Promise<Found | undefined> {
  const { first } = scene.wallets;
  // What admits anything does so whatever the registry.
  if (scene.unguarded.has(entry)) return undefined;
  return scene.branch(async () => {
    const mint = scene.rogueMint;
    const forged = await scene.claim(entry, { wallet: first, identity: alice, mint });
    if (!scene.isAdmitted(forged, await scene.gains(entry, first))) return undefined;
    return found(
      scene,
      `When ${by} ${short(door)}, another registry decides whom ${short(entry)} admits: keep the registry in an immutable.`,
      door.name,
    );
  });
}

/** Raises a cutoff and then lowers it, if a function does that. */
async function lower(
  scene: Scene,
  door: Door,
  caller: string,
  now: Said,
  when: string,
): Promise<Found | undefined> {
  return scene.branch(async () => {
    let before = now;
    for (const number of [10n ** 6n, 5n, 0n]) {
      await scene.call(door, caller, { number, items: 1, value: 0n });
      const after = await listen(scene);
      const message = explainChange(before, after, when);
      if (message !== undefined) return found(scene, message, door.name);
      before = after;
    }
    return undefined;
  });
}

/** Finds a function by which a stranger keeps a person out. */
export const lockingOut: ContractAttack = {
  name: "locked out by a stranger",
  run: (scene) =>
    tryDoors(scene, (door) =>
      firstOf(scene.entryPoints, (entry) => scene.fresh(() => lockOut(scene, door, entry))),
    ),
};

async function lockOut(scene: Scene, door: Door, entry: Ready): Promise<Found | undefined> {
  const { first, stranger } = scene.wallets;
  const gains = await scene.gains(entry, first);
  const { identityHash } = await scene.mint({ wallet: first, identity: alice });
  const all = await accepted(scene, door, stranger, { address: first, word: identityHash });
  // An allowlist gives the person's place to nobody else.
  const taken = all.filter(({ isListed }) => !isListed);
  return firstOf(taken, (choice) =>
    scene.fresh(async () => {
      const outcome = await scene.call(door, stranger, choice);
      if (!("done" in outcome)) return undefined;
      const own = await scene.claim(entry, { wallet: first, identity: alice });
      if (scene.isAdmitted(own, gains)) return undefined;
      return found(
        scene,
        `Once a stranger calls ${short(door)}, ${short(entry)} refuses a person who has not been counted: let only a verification use an identity up.`,
        door.name,
      );
    }),
  );
}

const slotsIn = (marks: Effect) => [...marks].filter((mark) => mark.startsWith("slot ")).length;

/** A claim's gains without the record that it was made. */
const worthHaving = (gains: ReadonlySet<string>) =>
  new Set([...gains].filter((mark) => !mark.endsWith(` ${identityUsed}`)));
