// Without a claim that somebody has written: finds how a simple contract lets a person in.

import { development } from "@hardhat-identity/protocol/development";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import { describeRevert } from "@hardhat-identity/protocol/reverts";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { FunctionFragment, Interface, MaxUint256 } from "ethers";
import { mintVerification } from "hardhat-identity/internal/consumer/mint";
import type { Claim } from "hardhat-identity/internal/testing/attack";
import { accountOf, attackWallets } from "../wallets.ts";
import { isTouched } from "./effect.ts";
import { type Door, type EntryPoint, encode, mayTakePacked, readDoors } from "./functions.ts";
import { type Choice, choices, invent } from "./invent.ts";
import { readAddress, type Scene, type SceneOptions, type Target } from "./play.ts";
import { type Call, day, month, type Stage } from "./stage.ts";

/** A claim that was found. */
export interface Invented {
  /** The function's signature. */
  readonly entryPoint: string;
  /** The call, as Solidity writes it. */
  readonly says: string;
  readonly claim: Claim;
  readonly options: SceneOptions;
  /** Makes what has to happen once before. */
  readonly opening: (scene: Scene) => Promise<unknown>;
}

/** An entry point that refuses all that was tried. */
export interface Closed {
  readonly entryPoint: string;
  readonly refusal: string;
  /** A claim to fill in, for a test with ethers. */
  readonly recipe?: string;
}

/** Help for a contract without a claim. */
export interface Known {
  readonly given?: Readonly<Record<string, unknown>>;
  /** A token of ours, of which everybody may mint. */
  readonly token?: string | undefined;
}

const erc20 = new Interface([
  "function mint(address to, uint256 amount)",
  "function approve(address spender, uint256 amount)",
]);

/** A step that may open an entry point, for the contract or for each wallet. */
interface Opening {
  run(wallet: string): Promise<unknown>;
  readonly forEach: boolean;
  /** A call, to be shown. */
  readonly call?: Call;
  readonly what?: string;
}

const first = attackWallets.first.address;
/** Milliseconds to look for what opens an entry point. */
const patienceMs = 6_000;

/** Finds a claim at each function of a contract that takes a verification. */
export async function inventClaims(
  node: Eip1193Connection,
  stage: Stage,
  target: Target,
  { given = {}, token }: Known,
): Promise<{ readonly found: Invented[]; readonly closed: Closed[] }> {
  const { address, owner } = target;
  const { entryPoints, others } = readDoors(target.abi);
  const provide = async (wallet: string) => {
    await stage.act(wallet);
    if (token === undefined) return;
    await stage.spend({
      from: wallet,
      to: token,
      data: erc20.encodeFunctionData("mint", [wallet, 10n ** 30n]),
    });
    await stage.spend({
      from: wallet,
      to: token,
      data: erc20.encodeFunctionData("approve", [address, MaxUint256]),
    });
  };
  const prices = await readAmounts(stage, target);
  const senders = [undefined, owner, ...(await readAddresses(stage, target))];

  const mint = (wallet: string) =>
    mintVerification(node, { consumer: address, user: wallet, identity: "alice", registry: target.registry });

  const callOf = (
    entry: EntryPoint,
    choice: Choice,
    sender: string | undefined,
    wallet: string,
    verification: SignedVerification,
  ): Call => ({
    from: sender ?? wallet,
    to: address,
    data: encode(entry, invent(entry, { given, ...choice, caller: wallet }, verification)),
    value: entry.payable ? choice.value : 0n,
  });

  /** Finds the arguments that change most of the contract's storage, or says why none do. */
  async function tryArguments(entry: EntryPoint) {
    const { verification } = await mint(first);
    let best: { choice: Choice; sender: string | undefined; words: number } | undefined;
    let refusal: string | undefined;
    for (const sender of senders) {
      for (const choice of choices(entry, { amounts: prices }).slice(
        0,
        entry.places.size === 1 ? 4 : sender === undefined ? 60 : 8,
      )) {
        const outcome = await stage.simulate(callOf(entry, choice, sender, first, verification));
        if ("revert" in outcome) {
          refusal ??= describeRevert(outcome.revert, { abis: [target.abi] }).text;
          continue;
        }
        const words = outcome.done.changed.size;
        if (words > 0 && words > (best?.words ?? 0)) best = { choice, sender, words };
      }
      if (best !== undefined) return best;
    }
    return { refusal: refusal ?? "nothing, and changes nothing" };
  }

  /** Reads on what parts of the state it depends whether an entry point admits somebody. */
  async function placesOf(entry: EntryPoint) {
    const { verification } = await mint(first);
    const calls = choices(entry)
      .slice(0, 8)
      .map((choice) => callOf(entry, choice, undefined, first, verification));
    const places = await Promise.all(calls.map(stage.placesOf));
    return new Set(places.flatMap((each) => [...each]));
  }

  /** Bytes hold a verification if others are refused. */
  async function refusesForged(
    entry: EntryPoint,
    { choice, sender }: { choice: Choice; sender: string | undefined },
  ) {
    const { verification } = await mint(first);
    const forged = { ...verification, signature: `0x${"11".repeat(32)}${"22".repeat(32)}1b` as const };
    return "revert" in (await stage.simulate(callOf(entry, choice, sender, first, forged)));
  }

  function openings(): Opening[] {
    const endow = async () => {
      await stage.fund(address, 10n ** 21n);
      if (token !== undefined) {
        await stage.spend({
          from: first,
          to: token,
          data: erc20.encodeFunctionData("mint", [address, 10n ** 30n]),
        });
      }
    };
    const call = (door: Door, by: string | undefined, choice: Choice): Opening => {
      const callFor = (wallet: string): Call => ({
        from: by ?? wallet,
        to: address,
        data: encode(door, invent(door, { given, ...choice, address: wallet, caller: by ?? wallet })),
        value: door.payable ? choice.value : 0n,
      });
      return {
        forEach: by === undefined || /address/.test(door.name),
        run: (wallet) => stage.spend(callFor(wallet)),
        call: callFor(first),
        what: `${by === undefined ? "The first wallet" : "The owner"} calls ${door.name}.`,
      };
    };
    const calls = [owner, undefined].flatMap((by) =>
      others.flatMap((door) =>
        choices(door)
          .slice(0, 4)
          .map((choice) => call(door, by, choice)),
      ),
    );
    // Some count in blocks.
    const waiting = [1, day, 3 * day, month].map((seconds) => ({
      forEach: false,
      run: () => stage.pass(seconds, seconds < day ? 1 : 7_201),
    }));
    return [{ run: endow, forEach: false }, ...waiting, ...calls];
  }

  const found: Invented[] = [];
  const closed: Closed[] = [];
  await stage.undone(async () => {
    await provide(first);
    for (const entry of [...entryPoints, ...others.flatMap(mayTakePacked)]) {
      const isPacked = entry.places.size === 1;
      const way = await tryArguments(entry);
      if ("choice" in way) {
        if (isPacked && !(await refusesForged(entry, way))) continue;
        if (found.some(({ entryPoint }) => entryPoint === entry.name)) continue;
        found.push(compose(entry, way, []));
        continue;
      }
      if (isPacked) continue;
      let steps: Opening[] | undefined;
      const needed = await placesOf(entry);
      const end = performance.now() + patienceMs;
      for (const opening of openings()) {
        if (performance.now() > end) break;
        // A call that touches nothing on which a refusal depends does not change it.
        const outcome = opening.call && (await stage.simulate(opening.call));
        if (outcome && ("revert" in outcome || !isTouched(needed, outcome.done.changed))) continue;
        const isOpened = await stage.undone(async () => {
          await opening.run(first);
          const next = await tryArguments(entry);
          return "choice" in next ? next : undefined;
        });
        if (isOpened === undefined) continue;
        steps = [opening];
        found.push(compose(entry, isOpened, steps));
        break;
      }
      if (steps === undefined)
        closed.push({ entryPoint: entry.name, refusal: way.refusal, recipe: writeRecipe(entry, target) });
    }
  });
  return { found, closed };

  function compose(
    entry: EntryPoint,
    { choice, sender }: { choice: Choice; sender: string | undefined },
    steps: readonly Opening[],
  ): Invented {
    return {
      entryPoint: entry.name,
      says: sayCall(entry, choice, given),
      claim: ({ verification, wallet, sender: from, send }) => {
        const { args: _, ...signed } = verification;
        const { value = 0n, ...call } = callOf(entry, choice, sender && from.address, wallet.address, signed);
        return send({ ...call, value: toQuantity(value) });
      },
      options: {
        sender,
        async prepare({ address: wallet }) {
          await provide(wallet);
          for (const step of steps) if (step.forEach) await step.run(wallet);
        },
      },
      opening: async (scene) => {
        await provide(first);
        for (const { forEach, run, call, what = "" } of steps) {
          if (forEach) continue;
          await (call === undefined ? run(first) : scene.send(what, call));
        }
      },
    };
  }
}

/** Writes a call as Solidity does, with the names of what differs from claim to claim. */
function sayCall(entry: EntryPoint, choice: Choice, given: Readonly<Record<string, unknown>>): string {
  const wallet = accountOf("wallet");
  const named: SignedVerification = { identityHash: "0x", expiration: 0, signature: "0x" };
  const values = invent(entry, { given, ...choice, caller: wallet });
  const say = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(say).join(", ")}]`;
    if (value === wallet) return "wallet";
    return typeof value === "string" && !value.startsWith("0x") ? JSON.stringify(value) : String(value);
  };
  const args = entry.fragment.inputs.map((_, i) => {
    const part = entry.places.get(String(i));
    if (part === undefined) return say(values[i]);
    return part in named ? part : "abi.encode(identityHash, expiration, signature)";
  });
  const value = entry.payable && choice.value > 0n ? `{value: ${choice.value}}` : "";
  return `${entry.fragment.name}${value}(${args.join(", ")})`;
}

/** Writes a test's claim at an entry point, of which somebody has to fill in the other arguments. */
function writeRecipe({ fragment, places, payable }: EntryPoint, { name }: Target): string {
  const args: string[] = [];
  for (const [i, { type, name: parameter }] of fragment.inputs.entries()) {
    if (places.get(String(i)) === "identityHash") args.push("...verification.args");
    else if (places.has(String(i))) continue;
    else if ([...places.keys()].some((path) => path.startsWith(`${i}.item`))) args.push("[verification]");
    else if ([...places.keys()].some((path) => path.startsWith(`${i}.`))) args.push("verification");
    else args.push(`/* ${type} ${parameter} */`);
  }
  if (payable) args.push("{ value: /* wei */ }");
  const contract = /^[A-Za-z]\w*$/.test(name) ? `${name[0]?.toLowerCase()}${name.slice(1)}` : "contract";
  return `  const faults = await identity.attack(${contract}, ({ verification, wallet }) =>
    ${contract}.connect(wallet).${fragment.name}(${args.join(", ")}),
  );
  expect(faults).to.deep.equal([]);`;
}

/** Reads the words that a contract names, such as its roles. */
export const readWords = async (stage: Stage, target: Target): Promise<string[]> =>
  (await askAll(stage, target, "bytes32")).flatMap((word) => (word === undefined ? [] : [word])).slice(0, 3);

/** The getters without arguments that answer one word of a type. */
const gettersOf = ({ abi }: Target, type: string) =>
  abi.flatMap((item) => {
    if (item.type !== "function" || !/^(view|pure)$/.test(item.stateMutability ?? "")) return [];
    const { inputs, outputs, selector } = FunctionFragment.from(item);
    return inputs.length === 0 && outputs.length === 1 && outputs[0]?.type === type ? [selector] : [];
  });

const askAll = (stage: Stage, target: Target, type: string) =>
  Promise.all(
    gettersOf(target, type).map((data) => stage.ask({ from: development.signer, to: target.address, data })),
  );

/** Reads the amounts that a contract names, such as its price. */
async function readAmounts(stage: Stage, target: Target): Promise<bigint[]> {
  const answers = await askAll(stage, target, "uint256");
  return answers.map((answer) => BigInt(answer ?? 0)).filter((amount) => amount > 1n && amount < 10n ** 21n);
}

/** Reads the addresses that a contract names. */
export async function readAddresses(stage: Stage, target: Target): Promise<string[]> {
  const named = (await askAll(stage, target, "address")).map(readAddress);
  return [...new Set(named)].flatMap((each) => (each === undefined || each === target.address ? [] : [each]));
}
