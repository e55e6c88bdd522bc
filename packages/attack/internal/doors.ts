// The functions that take no verification: who may call them, with what, and after what.
import { type ContractAttack, describeUntried, firstOf, type Untried } from "./attack.ts";
import { isTouched, type Places } from "./effect.ts";
import type { Door } from "./functions.ts";
import { type Choice, choices } from "./invent.ts";
import type { Found, Move, Ready, Scene } from "./scene.ts";
import { accountOf, type Done, month } from "./stage.ts";
import { enlist } from "./tokens.ts";

/** Tries a function, in the state that was prepared for it. */
type Attempt = (door: Door) => Promise<Found | undefined>;

/** Prepares a state with an entry point, and answers what to try in it, if anything. */
type Plan = (scene: Scene, entry: Ready) => Promise<Attempt | undefined>;

/** Makes an attack of plans for every entry point, with every function that takes no verification. */
export const onDoors = (name: string, ...plans: readonly Plan[]): ContractAttack => ({
  name,
  run: (scene) =>
    tryDoors(
      scene,
      scene.entryPoints.flatMap((entry) => plans.map((plan) => () => plan(scene, entry))),
    ),
});

/**
 * Tries every function that takes no verification, in states of the contract one after the other, until it shows something.
 *
 * @param states Each prepares a state, and answers what to try in it, if anything.
 */
export async function tryDoors(
  scene: Scene,
  states: Iterable<() => Promise<Attempt | undefined>>,
): Promise<Found[]> {
  const all = new Map<Door, Found>();
  for (const arrive of states) {
    await scene.fresh(async () => {
      const attempt = await arrive();
      for (const door of attempt === undefined ? [] : scene.others) {
        if (all.has(door)) continue;
        const shown = await scene.branch(async () => {
          await scene.open(door);
          return attempt?.(door);
        });
        if (shown !== undefined) all.set(door, { ...shown, entryPoint: door.name });
      }
    });
  }
  return [...all.values()];
}

/** The callers to try for a function: some wallets, a stranger, and the owner if there is one. */
export function callersOf({ wallets, target: { owner } }: Scene, ...more: readonly string[]): string[] {
  return [...more, wallets.stranger, ...(owner === undefined ? [] : [owner])];
}

/** Arguments that a function accepts now, and the effects of a call with them. */
export interface Accepted {
  readonly choice: Choice;
  readonly done: Done;
}

/** The values to build arguments from, and the change that a call must make to count. */
interface Wish {
  readonly addresses?: readonly string[];
  readonly word?: string;
  readonly touching?: Places;
}

/** Finds arguments that a function accepts now, from the claim's traces and invented values; each has another effect. */
export async function accepted(
  scene: Scene,
  door: Door,
  caller: string,
  { addresses = [], word, touching }: Wish = {},
): Promise<Accepted[]> {
  const tried = new Set<string>();
  const tryWith = async (addresses: readonly string[], most?: number) => {
    const all: Choice[] = [];
    for (const each of addresses) {
      for (const invented of choices(door).slice(0, most)) {
        const choice = { ...invented, address: each, word };
        const { data, value } = scene.callOther(door, caller, choice);
        if (!tried.has(`${data} ${value}`)) all.push(choice);
        tried.add(`${data} ${value}`);
      }
    }
    const found = await Promise.all(all.map((choice) => tryChoice(scene, door, caller, choice)));
    return found.filter((each) => each !== undefined);
  };
  let found = await tryWith([...addresses, caller]);
  // Some functions refuse their caller as an argument, and some every known address.
  if (found.length === 0) found = await tryWith([scene.wallets.first, scene.wallets.second, newcomer], 2);
  if (found.length === 0) found = await acceptedOnList(scene, door, caller);
  const all = new Map(found.map((each) => [describeChange(each.done), each]));
  return [...all.values()].filter(({ done }) => touching === undefined || isTouched(touching, done.changed));
}

const describeChange = ({ amounts, changed }: Done) => [...amounts, ...changed].join();

async function tryChoice(scene: Scene, door: Door, caller: string, choice: Choice) {
  const outcome = await scene.stage.simulate(scene.callOther(door, caller, choice));
  return "done" in outcome ? { choice, done: outcome.done } : undefined;
}

/** Finds arguments that a function accepts if they are on the allowlist that an entry point has. */
async function acceptedOnList(scene: Scene, door: Door, caller: string): Promise<Accepted[]> {
  if (!scene.entryPoints.some(({ isListed }) => isListed)) return [];
  const found = await firstOf(choices(door).slice(0, 8), (invented) =>
    scene.branch(async () => {
      const choice = { ...invented, isListed: true };
      await enlist(scene.stage, scene.callOther(door, caller, choice));
      return tryChoice(scene, door, caller, choice);
    }),
  );
  return found === undefined ? [] : [found];
}

/** An account that no contract knows. */
const newcomer = accountOf("newcomer");

/**
 * Finds how to open each function that refuses everything: by a call of the owner or of a claimant, or by time.
 *
 * @returns The functions that nothing opens.
 */
export async function openDoors(scene: Scene): Promise<Untried[]> {
  const { first, stranger } = scene.wallets;
  const { owner = stranger } = scene.target;
  const isOpen = async (door: Door) =>
    (await firstOf([first, stranger, owner], async (caller) =>
      (await accepted(scene, door, caller)).at(0),
    )) !== undefined;
  const claims = scene.entryPoints.map((entry) => () => scene.claim(entry));
  const wait = () => scene.stage.pass(month);
  // A contract wallet confirms every signature (ERC-1271).
  const sign = () => scene.delegate(stranger, "attack/Intruder");
  scene.moves.push({ run: wait }, { run: sign });
  const learned = new Set<string>();
  const learn = async (door: Door) => {
    for (const caller of [owner, first]) {
      for (const { choice, done } of (await accepted(scene, door, caller)).slice(0, 4)) {
        const key = `${caller} ${door.name} ${describeChange(done)}`;
        if (learned.has(key)) continue;
        learned.add(key);
        const { changed } = done;
        const run = async (claimant: string) => {
          const own = (wallet: string | undefined) => (wallet === first ? claimant : wallet);
          await scene.call(door, own(caller) ?? caller, { ...choice, address: own(choice.address) });
        };
        scene.moves.push({ run, changed });
        scene.moves.push({ run: async (claimant) => void (await run(claimant).then(wait)), changed });
      }
    }
  };

  const closed = new Map<Door, Places>();
  for (const door of scene.others) {
    if (await isOpen(door)) await learn(door);
    else closed.set(door, await placesOf(scene, door, owner));
  }
  for (const claim of claims) {
    await scene.fresh(async () => {
      const outcome = await claim();
      for (const door of scene.others) {
        const places = closed.get(door);
        if (places !== undefined) {
          if (!("done" in outcome && isTouched(places, outcome.done.changed)) || !(await isOpen(door)))
            continue;
          closed.delete(door);
        }
        // A wallet that has claimed may do more than before.
        await learn(door);
      }
    });
  }
  const untried: Untried[] = [];
  for (const door of closed.keys()) {
    const opening = await scene.fresh(async () => {
      await claims[0]?.();
      const places = await placesOf(scene, door, owner);
      const later = await scene.branch(async () => {
        await wait();
        return placesOf(scene, door, owner);
      });
      return firstOf(scene.moves, async (move) => {
        if (!mayHelp(move, places) && !mayHelp(move, later)) return undefined;
        return scene.branch(async () => {
          await move.run(first);
          return (await isOpen(door)) ? move : undefined;
        });
      });
    });
    if (opening !== undefined) scene.openings.set(door, opening);
    else if (!scene.entryPoints.some(({ name }) => name === door.name)) {
      const [choice] = choices(door);
      // The owner's refusal says more than a stranger's, which would be "not the owner".
      const revert = choice && (await scene.stage.refusalOf(scene.callOther(door, owner, choice)));
      untried.push(describeUntried(scene, "attacks on other functions", door, revert ?? "0x"));
    }
  }
  return untried;
}

/** Whether a move may change what depends on parts of the state. */
export const mayHelp = ({ changed }: Move, places: Places): boolean =>
  changed === undefined || isTouched(places, changed);

/** On what parts of the state it depends whether a function accepts its owner or anybody. */
export async function placesOf(scene: Scene, door: Door, owner: string): Promise<Places> {
  const { first, stranger } = scene.wallets;
  const calls = [first, stranger, owner].flatMap((caller) =>
    choices(door).map((choice) => scene.callOther(door, caller, choice)),
  );
  const places = await Promise.all(calls.map(scene.stage.placesOf));
  return new Set(places.flatMap((each) => [...each]));
}
