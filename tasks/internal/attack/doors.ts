// The functions that take no verification: who may call them, with what, and after what.
import { describeUntried, type Found, firstOf, type Untried } from "./attack.ts";
import type { Door } from "./functions.ts";
import { type Choice, choices } from "./invent.ts";
import type { Scene } from "./scene.ts";
import { accountOf, month } from "./stage.ts";
import { enlist } from "./tokens.ts";

/** Tries every function that takes no verification; answers what each has shown. */
export async function tryDoors(
  scene: Scene,
  run: (door: Door) => Promise<Found | undefined>,
): Promise<Found[]> {
  const all: Found[] = [];
  for (const door of scene.others) {
    const shown = await run(door);
    if (shown !== undefined) all.push(shown);
  }
  return all;
}

/** Who may call a function: some wallets, a stranger, and the owner if there is one. */
export function callersOf({ wallets, target: { owner } }: Scene, ...more: readonly string[]): string[] {
  return [...more, wallets.stranger, ...(owner === undefined ? [] : [owner])];
}

/** Arguments that a function accepts now, made of what the claim left and of inventions; each leads to another call. */
export async function accepted(
  scene: Scene,
  door: Door,
  caller: string,
  { address = caller, word }: { address?: string; word?: string } = {},
): Promise<Choice[]> {
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
    const refusals = await Promise.all(
      all.map((choice) => scene.stage.refusalOf(scene.callOther(door, caller, choice))),
    );
    return all.filter((_, i) => refusals[i] === undefined);
  };
  const found = await tryWith([address, caller]);
  if (found.length > 0) return found;
  // Some functions refuse their caller, and some whoever is known already.
  const ofOthers = await tryWith([scene.wallets.first, scene.wallets.second, newcomer], 2);
  return ofOthers.length > 0 ? ofOthers : acceptedOnList(scene, door, caller);
}

/** Arguments that a function accepts if they are on the allowlist that an entry point has. */
async function acceptedOnList(scene: Scene, door: Door, caller: string): Promise<Choice[]> {
  if (!scene.entryPoints.some(({ isListed }) => isListed)) return [];
  const choice = await firstOf(choices(door).slice(0, 8), async (invented) => {
    const listed = { ...invented, isListed: true };
    const refusal = await scene.branch(async () => {
      const call = scene.callOther(door, caller, listed);
      await enlist(scene.stage, call);
      return scene.stage.refusalOf(call);
    });
    return refusal === undefined ? listed : undefined;
  });
  return choice === undefined ? [] : [choice];
}

/** An account that no contract knows. */
const newcomer = accountOf("newcomer");

/**
 * Finds what opens each function that refuses everything: a call of the owner, or time.
 *
 * @returns The functions that nothing opens.
 */
export async function openDoors(scene: Scene): Promise<Untried[]> {
  const { first, stranger } = scene.wallets;
  const { owner = stranger } = scene.target;
  const takes = (door: Door) =>
    firstOf([first, stranger, owner], async (caller) => (await accepted(scene, door, caller)).at(0));
  const states = [
    async () => {},
    ...scene.entryPoints.map((entry) => () => scene.claim(entry, { wallet: first, identity: "alice" })),
  ];
  const wait = () => scene.stage.pass(month);
  const closed: Door[] = [];
  const openings = [wait];
  for (const door of scene.others) {
    const ways = await firstOf(states, (arrive) =>
      scene.fresh(async () => {
        await arrive();
        const byOwner = (await accepted(scene, door, owner)).slice(0, 4);
        return byOwner.length > 0 || (await takes(door)) ? byOwner : undefined;
      }),
    );
    if (ways === undefined) closed.push(door);
    for (const choice of ways ?? []) {
      const open = async () => void (await scene.call(door, owner, choice));
      openings.push(open, async () => {
        await open();
        await wait();
      });
    }
  }
  const untried: Untried[] = [];
  for (const door of closed) {
    const opening = await firstOf(openings, (open) =>
      scene.fresh(async () => {
        await states[1]?.();
        await open();
        return (await takes(door)) && open;
      }),
    );
    if (opening !== undefined) scene.openings.set(door, opening);
    else if (!scene.entryPoints.some(({ name }) => name === door.name)) {
      const [choice] = choices(door);
      // What its owner is refused with says more than that others are not its owner.
      const revert = choice && (await scene.stage.refusalOf(scene.callOther(door, owner, choice)));
      untried.push(describeUntried(scene, "attacks on other functions", door, revert ?? "0x"));
    }
  }
  return untried;
}
