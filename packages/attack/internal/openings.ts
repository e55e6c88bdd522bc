// The functions that take no verification: who may call them, with what, and after what.

import { newcomers, substitute } from "./calldata.ts";
import { isTouched, type Places } from "./effect.ts";
import { type Door, encode } from "./functions.ts";
import { pricesOf } from "./gains.ts";
import { delegate, through } from "./intruder.ts";
import { type Choice, choices, invent, namings } from "./invent.ts";
import type { Verdict } from "./judge.ts";
import type { Found } from "./play.ts";
import type { Scene } from "./scene.ts";
import { type Taken, tryChoices } from "./search.ts";
import { type Call, month, type Outcome, startBudget, startPatience } from "./stage.ts";

/** A function with arguments that it takes now. */
export interface Way extends Taken {
  readonly door: Door;
  readonly caller: string;
}

/** An event that may open a function: a call of the owner or of a claimant, another person's claim, or time. */
export interface Move {
  /** Answers what came of a call that changed something at once. */
  run(claimant: string): Promise<Outcome | undefined>;
  /** The account that calls a function. */
  readonly caller?: string;
  /** The changed places; absent for time, which may change everything. */
  readonly changed?: Places;
}

/** Composes a call of a function that takes no verification. */
export function composeCall(scene: Scene, door: Door, from: string, choice: Choice): Call {
  if (door.made !== undefined) {
    const [person = from] = choice.addresses ?? [];
    return substitute({ from, ...door.made }, scene.wallets.first, person);
  }
  const values = invent(door, { given: scene.recorded.given, ...choice, caller: from });
  const value = door.payable ? choice.value : 0n;
  return { from, to: scene.target.address, data: encode(door, values), value };
}

/** Calls a function that takes no verification. */
export function callDoor(scene: Scene, door: Door, from: string, choice: Choice): Promise<Outcome> {
  const call = composeCall(scene, door, from, choice);
  if (scene.intruders.has(from)) return through(scene, from, scene.wallets.first, call);
  return scene.send(`${scene.nameOf(from)} calls ${door.name}.`, call);
}

/** The values to build arguments from, and the change that a call must make to count. */
export interface Wish {
  readonly addresses?: readonly string[];
  readonly word?: string;
  readonly touching?: Places;
  /** Numbers to try besides the usual ones. */
  readonly amounts?: readonly bigint[];
  /** Arguments by name, before those that were recorded. */
  readonly given?: Readonly<Record<string, unknown>>;
}

/** The words and texts of the last claim, and the words of the contract, that a function may take. */
const learnedFor = (
  { learned, words, made, wallets }: Scene,
  { name }: Door,
  caller: string,
): (Partial<Choice> & { readonly given: Readonly<Record<string, never>> })[] => [
  ...(/bytes32/.test(name) ? [...learned.words, ...words] : []).map((word) => ({ given: {}, word })),
  ...(/string/.test(name) ? learned.texts : []).map((text) => ({ given: {}, text })),
  // Some make any call that they are told, also one that the claim makes for its person.
  ...(/address/.test(name) && /bytes\b/.test(name) ? made : []).flatMap(({ made: call }) => {
    if (call === undefined) return [];
    const { data: bytes } = substitute({ from: caller, ...call }, wallets.first, caller);
    return [{ given: {}, addresses: [call.to], bytes }];
  }),
];

/** Finds arguments that a function accepts now, and that change something; each with another effect. */
export async function findWays(
  scene: Scene,
  door: Door,
  caller: string,
  { addresses = [], word, touching, amounts: named = [], given: wished = scene.recorded.given }: Wish = {},
): Promise<Way[]> {
  const amounts = [...named, ...(door.payable ? scene.recorded.amounts : [])];
  // As they were recorded, and as they are invented.
  const kinds = [
    ...[...new Set([wished, scene.recorded.given, {}])].map((given) => ({ given, word })),
    ...learnedFor(scene, door, caller).map((kind) => ({ word, ...kind })),
  ];
  const found = new Map<string, Way>();
  const tryWith = async (people: readonly string[], most?: number) => {
    const invented = choices(door, amounts).slice(0, most);
    const all = namings(door, people).flatMap((named) =>
      invented.flatMap((choice) => kinds.map((kind): Choice => ({ ...choice, addresses: named, ...kind }))),
    );
    const compose = (choice: Choice) => composeCall(scene, door, caller, choice);
    for await (const { choice, done } of tryChoices(scene.stage, all, compose)) {
      const change = [...done.amounts, ...done.changed].join();
      if (!found.has(change)) found.set(change, { door, caller, choice, done });
    }
  };
  await tryWith([...addresses, caller]);
  // Some functions refuse their caller as an argument.
  const { first, second } = scene.wallets;
  if (found.size === 0) await tryWith([first, second, newcomers[0] ?? "", caller], 2);
  return [...found.values()].filter(
    ({ done }) => touching === undefined || isTouched(touching, done.changed),
  );
}

/** On what parts of the state it depends whether a function accepts some callers. */
export async function placesOf(
  scene: Scene,
  door: Door,
  callers: readonly string[],
  people: readonly string[] = [],
): Promise<Places> {
  const invented = choices(door).slice(0, 12);
  const [usual] = invented;
  const calls = callers.flatMap((caller) => {
    const known =
      usual === undefined ? [] : learnedFor(scene, door, caller).map((kind) => ({ ...usual, ...kind }));
    return namings(door, [...people, caller]).flatMap((addresses) =>
      [...invented, ...known].map((choice) => composeCall(scene, door, caller, { addresses, ...choice })),
    );
  });
  const places = await Promise.all(calls.map(scene.stage.placesOf));
  return new Set(places.flatMap((each) => [...each]));
}

/** The ways to open the functions of a contract. */
export interface Openings {
  /** The moves that may let a function do more. */
  readonly moves: readonly Move[];
  /** The move that opens each function that refuses everything before it. */
  readonly openings: ReadonlyMap<Door, Move>;
  /** The functions that a claim opens. */
  readonly claimed: ReadonlySet<Door>;
  /** The functions that nothing opens. */
  readonly closed: ReadonlySet<Door>;
  /** The calls by which a stranger, for nothing, writes something about themselves or about a person. */
  readonly grants: readonly Way[];
  /** The time for what a stranger can do after one of these. */
  readonly budget: ReturnType<typeof startBudget>;
  /** On what parts of the state it depends what a stranger can do by a function. */
  readonly places: ReadonlyMap<Door, Places>;
}

/** Seconds of computing for the search of openings, and for each state in which all functions are tried. */
const patience = 4.5;
/** Seconds of computing for a stranger's calls after another one of theirs. */
const leisure = 2;

/** Finds how to open each function that refuses everything: by a call of the owner or a claimant, by a claim, or by time. */
async function findOpenings(scene: Scene): Promise<Openings> {
  const { first, third, stranger } = scene.wallets;
  const { owner = stranger } = scene.target;
  const wait = () => scene.pass(month).then(() => undefined);
  // A contract wallet confirms every signature (ERC-1271).
  const moves: Move[] = [
    { run: wait },
    { run: () => delegate(scene, stranger, "attack/Intruder").then(() => undefined) },
  ];
  // Another person names the claimant, such as who has invited them.
  for (const leaf of scene.recorded.free.filter(({ type }) => type.type === "address")) {
    const named = (claimant: string) => scene.recorded.change(leaf, claimant);
    moves.push({ run: (claimant) => scene.play({ wallet: third, identity: "dave", edit: named(claimant) }) });
  }
  const isOpen = async (door: Door) => {
    for (const caller of [first, stranger, owner])
      if ((await findWays(scene, door, caller)).length > 0) return true;
    return false;
  };
  const learned = new Set<string>();
  const grants = new Map<string, Way>();
  const learn = async (door: Door) => {
    const byStranger = door.name.includes("address")
      ? await findWays(scene, door, stranger, { addresses: [first] })
      : [];
    for (const way of byStranger) {
      // Another number in the same place is the same right; another account is not.
      const key = `${door.name} ${[...way.done.changed].join()} ${way.choice.addresses?.join()}`;
      const isFree = way.done.changed.size > 0 && pricesOf(way.done).size === 0;
      if (isFree && !grants.has(key)) grants.set(key, way);
    }
    // The owner opens only what claimants do not.
    for (const caller of [first, owner]) {
      // A claimant may offer what they have to somebody who then takes it.
      const addresses = caller === first ? [first, stranger] : [first];
      const ways = await findWays(scene, door, caller, { addresses });
      for (const { choice, done } of ways.slice(0, 4)) {
        const key = `${caller} ${door.name} ${[...done.amounts, ...done.changed].join()}`;
        if (learned.has(key) || done.changed.size === 0) continue;
        learned.add(key);
        const own = (wallet: string, claimant: string) => (wallet === first ? claimant : wallet);
        const run = (claimant: string) =>
          callDoor(scene, door, own(caller, claimant), {
            ...choice,
            addresses: choice.addresses?.map((each) => own(each, claimant)),
          });
        const { changed } = done;
        moves.push(
          { run, caller, changed },
          { run: (claimant) => run(claimant).then(wait), caller, changed },
        );
      }
    }
  };

  const closed = new Map<Door, Places>();
  const claimed = new Set<Door>();
  const places = new Map<Door, Places>();
  for (const door of scene.doors) {
    if (await isOpen(door)) await learn(door);
    else closed.set(door, await placesOf(scene, door, [first, stranger, owner]));
  }
  await scene.branch(async () => {
    const outcome = await scene.play();
    for (const door of scene.doors) {
      const places = closed.get(door);
      if (places !== undefined) {
        if (!("done" in outcome) || !isTouched(places, outcome.done.changed) || !(await isOpen(door)))
          continue;
        closed.delete(door);
        claimed.add(door);
      }
      // A wallet that has claimed may do more than before.
      await learn(door);
    }
    for (const door of grants.size === 0 ? [] : [...scene.doors, ...scene.made])
      places.set(door, await placesOf(scene, door, [stranger], [first]));
  });
  // Others the owner calls once time has passed, such as to tell a result.
  await scene.branch(async () => {
    if (closed.size === 0) return;
    await scene.play();
    await wait();
    for (const door of closed.keys()) {
      const ways = await findWays(scene, door, owner, { addresses: [first] });
      for (const { choice, done } of ways.slice(0, 4)) {
        const run = () => wait().then(() => callDoor(scene, door, owner, choice));
        moves.push({ run, caller: owner, changed: done.changed });
      }
    }
  });
  // A function that an owner opens may be open to the owner alone.
  moves.sort((one, other) => Number(one.caller === owner) - Number(other.caller === owner));
  const openings = new Map<Door, Move>();
  const isOver = startPatience(patience);
  for (const door of [...closed.keys()]) {
    if (isOver()) break;
    await scene.branch(async () => {
      await scene.play();
      const places = await placesOf(scene, door, [first, stranger, owner]);
      for (const move of moves) {
        if (isOver()) return;
        if (move.changed !== undefined && !isTouched(places, move.changed)) continue;
        const isOpened = await scene.branch(async () => {
          await move.run(first);
          return isOpen(door);
        });
        if (!isOpened) continue;
        openings.set(door, move);
        closed.delete(door);
        return;
      }
    });
  }
  return {
    moves,
    openings,
    claimed,
    closed: new Set(closed.keys()),
    grants: [...grants.values()],
    budget: startBudget(leisure),
    places,
  };
}

const known = new WeakMap<Scene, Promise<Openings>>();

/** {@link findOpenings}, once for each scene; to be asked in the recorded state first. */
export function openingsOf(scene: Scene): Promise<Openings> {
  const found = known.get(scene) ?? findOpenings(scene);
  known.set(scene, found);
  return found;
}

/** The functions that nothing opens; none if no attack has tried to. */
export const closedDoors = async (scene: Scene): Promise<Iterable<Door>> =>
  (await known.get(scene))?.closed ?? [];

/** Tries a function in the state that was prepared for it, after the call that has opened it, and yields a verdict for each way. */
export type Attempt = (door: Door, opening?: Outcome) => AsyncIterable<Verdict>;

const isFound = (verdict: Verdict): verdict is { readonly found: Found } =>
  typeof verdict === "object" && "found" in verdict;

/**
 * Tries a function as it is, and after each of a stranger's calls that may let them do more by it, until it shows something or
 * the time for that is over.
 *
 * @param isTried Leaves out calls that prove nothing about this function.
 */
export async function tryWithGrants(
  scene: Scene,
  door: Door,
  attempt: () => AsyncIterable<Verdict>,
  isTried: (grant: Way) => boolean = () => true,
): Promise<Verdict[]> {
  const { grants, places, budget } = await openingsOf(scene);
  const verdicts: Verdict[] = [];
  const tryAfter = (grant?: Way) =>
    scene.branch(async () => {
      // A stranger may have to call the same function twice before.
      const times = grant?.door === door ? 2 : 1;
      for (let i = 0; grant !== undefined && i < times; ++i)
        await callDoor(scene, grant.door, grant.caller, grant.choice);
      for await (const verdict of attempt()) {
        verdicts.push(verdict);
        if (isFound(verdict)) return;
      }
    });
  await tryAfter();
  const own = places.get(door) ?? new Set<string>();
  for (const grant of grants) {
    if (verdicts.some(isFound) || budget.isSpent()) break;
    const isRelevant = grant.door === door || isTouched(own, grant.done.changed);
    if (isRelevant && isTried(grant)) await budget.spend(() => tryAfter(grant));
  }
  return verdicts;
}

/** Tries every function in a state of the contract, each until it shows something. */
export async function* atEachDoor(
  scene: Scene,
  arrive: () => Promise<Attempt | undefined>,
  shown: Set<Door>,
  isByStranger: boolean,
): AsyncIterable<Verdict> {
  const { openings, closed } = await openingsOf(scene);
  const verdicts: Verdict[] = [];
  let isReady = false;
  await scene.branch(async () => {
    const attempt = await arrive();
    if (attempt === undefined) return;
    isReady = true;
    const isOver = startPatience(patience);
    for (const door of isByStranger ? [...scene.doors, ...scene.made] : scene.doors) {
      if (shown.has(door) || closed.has(door)) continue;
      if (isOver()) {
        verdicts.push({ refusal: `${door.name} and the functions after it would take too long` });
        return;
      }
      await scene.branch(async () => {
        const opening = await openings.get(door)?.run(scene.wallets.first);
        const isTried = (grant: Way) => isByStranger && !shown.has(grant.door);
        for (const verdict of await tryWithGrants(scene, door, () => attempt(door, opening), isTried)) {
          if (!isFound(verdict)) verdicts.push(verdict);
          else {
            verdicts.push({ found: { ...verdict.found, entryPoint: door.name } });
            shown.add(door);
          }
        }
      });
    }
  });
  // Where no function touches what the claim depends on, none can do harm.
  yield* verdicts.length > 0 || !isReady || scene.doors.length === closed.size ? verdicts : ["held" as const];
}
