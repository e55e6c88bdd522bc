import { FunctionFragment } from "ethers";
import { describeUntried, everyAttack, firstOf, type Untried } from "./attack.ts";
import { openDoors } from "./doors.ts";
import { isTouched, type Places } from "./effect.ts";
import {
  addressesOf,
  type Door,
  type EntryPoint,
  forms,
  mayTakePacked,
  type Packed,
  probes,
  readDoors,
  toldBy,
} from "./functions.ts";
import { type Choice, choices } from "./invent.ts";
import { type Claim, type Ready, readAddress, type Scene, valuesAt } from "./scene.ts";
import { type Call, day, month, type Outcome } from "./stage.ts";
import { deal, readPrices } from "./tokens.ts";

/** A step that an entry point may require before it accepts a wallet. */
interface Opening {
  /** The function and its caller, for people; and the call. */
  readonly name?: string;
  readonly call?: (wallet: string) => Call;
  /** Whether it has to happen for each wallet. */
  readonly forEach?: boolean;
  /** Whether it may help only together with an allowlist, and change no refusal alone. */
  readonly isBehindList?: boolean;
  /** The arguments that it tells, and that were unknown. */
  readonly learn?: (outcome: Outcome) => Record<string, unknown>;
  run(wallet: string): Promise<unknown>;
}

/** An entry point that takes a verification, or the first refusal, and that of the arguments that got furthest. */
type Attempt = Ready | { readonly revert: string; readonly furthest: string };

/** Ether that a contract gets, if its entry point needs some. */
const treasury = 10n ** 21n;

/**
 * Makes a contract ready for attacks: equips the wallets, and finds arguments that each entry point accepts, after what its
 * owner, the wallet and the time may have to do first.
 */
export async function prepare(scene: Scene): Promise<Untried[]> {
  const wallets = Object.values(scene.wallets);
  scene.tokens = await findTokens(scene);
  for (const wallet of wallets) await scene.equip(wallet);

  const { entryPoints, others } = readDoors(scene.target.abi);
  scene.others = others;
  const untried: Untried[] = [];
  for (const entry of entryPoints) {
    const ready = await makeReady(scene, entry);
    if ("choice" in ready) scene.entryPoints.push(ready);
    else untried.push(describeUntried(scene, everyAttack, entry, ready.furthest));
  }
  for (const door of others) {
    const ready = await findPacked(scene, door, tryVariants);
    if (ready !== undefined) scene.entryPoints.push(ready);
  }
  if (scene.entryPoints.length === 0 && untried.length === 0) {
    // To make a function ready takes seconds, and nobody puts a verification into a list of calls.
    const simple = others.filter(({ name }) => !name.includes("bytes[]"));
    const ready = await firstOf(simple, (door) => findPacked(scene, door, makeReady));
    if (ready !== undefined) scene.entryPoints.push(ready);
  }
  return [...untried, ...(scene.entryPoints.length > 0 ? await openDoors(scene) : [])];
}

/** Finds where in its bytes a function takes a verification, if it does. */
function findPacked(
  scene: Scene,
  door: Door,
  make: (scene: Scene, entry: EntryPoint) => Promise<Attempt>,
): Promise<Ready | undefined> {
  return firstOf(mayTakePacked(door), async (packed) => {
    const attempt = await make(scene, packed);
    return "choice" in attempt ? attempt : undefined;
  });
}

async function makeReady(scene: Scene, entry: EntryPoint): Promise<Attempt> {
  const asItIs = await tryVariants(scene, entry);
  if ("choice" in asItIs) return asItIs;
  const openings = await findOpenings(scene, entry, asItIs.revert, openingsOf(scene, entry), 1);
  for (const { run, forEach } of openings ?? []) {
    for (const wallet of Object.values(scene.wallets).slice(0, forEach ? undefined : 1)) await run(wallet);
    if (forEach) scene.admissions.push(run);
    // It belongs to the steps of every later finding.
    scene.keep();
  }
  return openings === undefined ? asItIs : tryVariants(scene, entry);
}

/** Lists what might help: ether and tokens, a call of the owner or of the wallet itself, time. */
function openingsOf(scene: Scene, entry: EntryPoint): Opening[] {
  const { stage, target, tokens } = scene;
  const endow = async () => {
    await stage.fund(target.address, treasury);
    for (const token of tokens) await deal(stage, token, target.address);
  };
  const calls = [target.owner, undefined].flatMap((owner) =>
    scene.others.flatMap((door) =>
      choices(door)
        .slice(0, 8)
        .map((choice) => ({
          name: `${owner} ${door.name}`,
          forEach: owner === undefined || /address/.test(door.name),
          call: (wallet: string) => scene.callOther(door, owner ?? wallet, { ...choice, address: wallet }),
          learn: (outcome: Outcome) => learn(scene, entry, door, outcome),
          run: async (wallet: string) => {
            const outcome = await scene.call(door, owner ?? wallet, { ...choice, address: wallet });
            scene.given = { ...learn(scene, entry, door, outcome), ...scene.given };
          },
        })),
    ),
  );
  const waiting = [3_600, day, 3 * day, month].map((seconds) => ({
    // Some count in blocks. Many nodes make each of them, so that no more pass than in a day.
    run: () => stage.pass(seconds, seconds < day ? 300 : 7_201),
  }));
  return [{ run: endow, isBehindList: true }, ...calls, ...waiting];
}

/** The arguments of an entry point that another call tells, such as the id of a proposal. */
function learn({ target, given }: Scene, { fragment }: EntryPoint, door: Door, outcome: Outcome) {
  const unknown = fragment.inputs.filter(({ name }) => !Object.hasOwn(given, name));
  return "done" in outcome ? toldBy(door, outcome.done, target.abi, unknown) : {};
}

/** Finds what makes an entry point accept the first wallet: one thing, or some that follow on each other. */
async function findOpenings(
  scene: Scene,
  entry: EntryPoint,
  refusal: string,
  openings: readonly Opening[],
  more: number,
): Promise<Opening[] | undefined> {
  const { first } = scene.wallets;
  const helpful: [Opening, revert: string][] = [];
  const relevant: typeof helpful = [];
  /** The errors that each function's calls have led to. */
  const seen = new Set<string>();
  const needed = await placesOf(scene, entry);
  for (const opening of openings) {
    // A call that touches nothing on which a refusal depends does not change it.
    const outcome = opening.call && (await scene.stage.simulate(opening.call(first)));
    const isHelp = (one: Outcome) =>
      "done" in one &&
      (isTouched(needed, one.done.changed) || Object.keys(opening.learn?.(one) ?? {}).length > 0);
    if (outcome && !isHelp(outcome)) continue;
    const after = await scene.branch(async () => {
      await opening.run(first);
      const attempt = await tryArguments(scene, entry);
      if ("choice" in attempt || (attempt.revert === refusal && !opening.isBehindList)) return attempt;
      // Another call of the same function helps no more.
      const result = `${opening.name} ${attempt.revert.slice(0, 10)}`;
      if (opening.name !== undefined && seen.has(result)) return attempt;
      seen.add(result);
      return tryVariants(scene, entry);
    });
    if ("choice" in after) return [opening];
    if (after.revert !== refusal) helpful.push([opening, after.revert]);
    // A step that changes the reason for the refusal may need time: a proposal's vote begins later.
    else if (outcome) relevant.push([opening, refusal]);
  }
  const next = [...helpful.slice(0, 3), ...relevant.slice(0, 3)];
  return firstOf(more === 0 ? [] : next, ([opening, revert]) =>
    scene.branch(async () => {
      await opening.run(first);
      const rest = await findOpenings(scene, entry, revert, openings, more - 1);
      return rest && [opening, ...rest];
    }),
  );
}

/** Tries an entry point as anybody may call it, with an allowlist, with its sender appended, and as only its owner or what it names may. */
async function tryVariants(scene: Scene, entry: EntryPoint): Promise<Attempt> {
  const asItIs = await tryArguments(scene, entry);
  if ("choice" in asItIs) return asItIs;
  const { owner } = scene.target;
  const senders = [...(owner === undefined ? [] : [owner]), ...(await readAddresses(scene))];
  // Every function with bytes may hold a packed verification, so less is tried at each.
  const appended = entry.places.size === 1 ? [] : [{ isAppended: true }];
  const variants = [{ isListed: true }, ...appended, ...senders.map((sender) => ({ sender }))];
  const found = await firstOf(variants, async (variant) => {
    const attempt = await tryArguments(scene, { ...entry, ...variant });
    return "choice" in attempt ? fixPlaces(scene, attempt) : undefined;
  });
  return found ?? asItIs;
}

/** Finds arguments with which an entry point accepts a valid verification. */
async function tryArguments(scene: Scene, entry: EntryPoint & Partial<Ready>): Promise<Attempt> {
  const verification = await scene.mint();
  const claim = { verification };
  const refusals: string[] = [];
  const all = await choicesOf(scene, entry);
  // An allowlist is slow to trace, and every function with bytes may hold a packed verification.
  const most =
    entry.isListed && entry.places.size === 1 ? 2 : entry.isListed || entry.isAppended ? 8 : undefined;
  for (const choice of all.slice(0, most)) {
    for (const places of await placings(scene, { ...entry, choice }, claim)) {
      const ready = { ...entry, choice, places };
      const refusal = await scene.about(ready, claim, scene.stage.refusalOf);
      if (refusal === undefined) {
        // Bytes hold a verification if others are refused.
        if (places === entry.places || (await refusesGarbage(scene, ready))) return ready;
      } else if (refusals.every((other) => other.slice(0, 10) !== refusal.slice(0, 10))) {
        // Another error shows that the check before it has passed.
        refusals.push(refusal);
      }
    }
  }
  return { revert: refusals[0] ?? "0x", furthest: refusals.at(-1) ?? "0x" };
}

async function choicesOf(scene: Scene, entry: EntryPoint): Promise<Choice[]> {
  const { address, registry } = scene.target;
  const addresses = [registry, ...scene.tokens, address];
  if (!entry.payable) return choices(entry, { addresses });
  const amounts = await readAmounts(scene);
  const one = { ...entry, choice: { number: 1n, items: 1, value: 0n } as const };
  const prices = await scene.about(one, {}, (call) => readPrices(scene.stage, call));
  return choices(entry, { amounts: [...new Set([...prices.filter(isAmount), ...amounts])], addresses });
}

/** On what parts of the state it depends whether an entry point accepts something. */
async function placesOf(scene: Scene, entry: EntryPoint): Promise<Places> {
  const verification = await scene.mint();
  const places: string[] = [];
  for (const choice of await choicesOf(scene, entry)) {
    for (const sender of [undefined, scene.target.owner]) {
      const call = await scene.callOf({ ...entry, choice, sender }, { verification });
      places.push(...(await scene.stage.placesOf(call)));
    }
  }
  return new Set(places);
}

/** Where a verification may be: its parts where they are, or in bytes, if the function looks at them when it is called so. */
async function placings(scene: Scene, entry: Ready, claim: Claim): Promise<EntryPoint["places"][]> {
  const [path = "", ...more] = entry.places.keys();
  if (more.length > 0) return [entry.places];
  const place = (form: Packed) => new Map([[path, form]]);
  const trails = new Set<string>();
  for (const probe of probes) {
    trails.add(await scene.about({ ...entry, places: place(probe) }, claim, scene.stage.trailOf));
  }
  return trails.size === 1 ? [] : forms.map(place);
}

/**
 * Fixes the addresses in structs that are not the user's, if others call for users: a pool's key names its tokens, and each
 * user comes to the same pool.
 */
async function fixPlaces(scene: Scene, entry: Ready): Promise<Ready> {
  if (entry.sender === undefined) return entry;
  const { first, second } = scene.wallets;
  let fixed = entry;
  for (const { path } of addressesOf(entry)) {
    if (!/^\d+\.[\d.]+$/.test(path)) continue;
    const at = valuesAt(fixed, [[path, fixed.choice.address ?? first]]);
    const attempt = { ...fixed, choice: { ...fixed.choice, at } };
    const call = await scene.callOf(attempt, { wallet: second });
    if ((await scene.stage.refusalOf(call)) === undefined) fixed = attempt;
  }
  return fixed;
}

async function refusesGarbage(scene: Scene, entry: Ready): Promise<boolean> {
  const verification = await scene.mint({ mint: { flaw: "wrongSigner" } });
  return (await scene.about(entry, { verification }, scene.stage.refusalOf)) !== undefined;
}

/** The getters without arguments that answer one word of a type. */
const gettersOf = (scene: Scene, type: string) =>
  scene.target.abi.flatMap((item) => {
    if (item.type !== "function" || !/^(view|pure)$/.test(item.stateMutability ?? "")) return [];
    const { name, inputs, outputs } = FunctionFragment.from(item);
    return inputs.length === 0 && outputs.length === 1 && outputs[0]?.type === type ? [`${name}()`] : [];
  });

/** Reads the amounts that a contract names, such as its price. */
async function readAmounts(scene: Scene): Promise<bigint[]> {
  const answers = await Promise.all(gettersOf(scene, "uint256").map((getter) => scene.ask(getter)));
  return answers.map((answer) => BigInt(answer ?? 0)).filter(isAmount);
}

const isAmount = (amount: bigint) => amount > 1n && amount < treasury;

/** Reads the addresses that a contract names. */
export async function readAddresses(scene: Scene): Promise<string[]> {
  const answers = await Promise.all(gettersOf(scene, "address").map((getter) => scene.ask(getter)));
  const named = answers.map(readAddress).filter((address) => address !== undefined);
  return [...new Set(named)].filter((address) => address !== scene.target.address);
}

/** Finds the tokens that a contract names and that it could take. */
async function findTokens(scene: Scene): Promise<string[]> {
  const tokens: string[] = [];
  for (const address of await readAddresses(scene)) {
    if (await scene.fresh(() => deal(scene.stage, address, scene.wallets.first))) tokens.push(address);
  }
  return tokens;
}
