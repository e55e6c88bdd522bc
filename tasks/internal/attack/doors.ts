// The functions that take no verification: who may call them, with what, and after what.
import { describeUntried, type Found, firstOf, type Untried } from "./attack.ts";
import type { Door } from "./functions.ts";
import { type Choice, choices } from "./invent.ts";
import type { Scene } from "./scene.ts";

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
  const byCall = new Map<string, Choice>();
  for (const each of new Set([address, caller])) {
    for (const invented of choices(door)) {
      const choice = { ...invented, address: each, word };
      const { data, value } = scene.callOther(door, caller, choice);
      if (!byCall.has(`${data} ${value}`)) byCall.set(`${data} ${value}`, choice);
    }
  }
  const all = [...byCall.values()];
  const refusals = await Promise.all(
    all.map((choice) => scene.stage.refusalOf(scene.callOther(door, caller, choice))),
  );
  return all.filter((_, i) => refusals[i] === undefined);
}

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
  const wait = () => scene.stage.pass(30 * 24 * 3_600);
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
      const revert = choice && (await scene.stage.refusalOf(scene.callOther(door, first, choice)));
      untried.push(describeUntried(scene, "attacks on other functions", door, revert ?? "0x"));
    }
  }
  return untried;
}
