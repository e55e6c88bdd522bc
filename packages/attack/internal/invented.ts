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
import { isTouched, type Places } from "./effect.ts";
import { type Door, type EntryPoint, encode, readDoors } from "./functions.ts";
import { type Choice, choices, invent } from "./invent.ts";
import type { Target } from "./play.ts";
import type { Scene, SceneOptions } from "./scene.ts";
import { type Taken, tryChoices } from "./search.ts";
import { type Call, day, month, readAddress, type Stage, startPatience } from "./stage.ts";

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
  readonly forEach: boolean;
  run(wallet: string): Promise<unknown>;
  /** A call, in words. */
  readonly call?: { readonly what: string; readonly by: Call };
}

/** The arguments of a claim, and the account that sends it, if that is not the wallet. */
interface Way {
  readonly choice: Choice;
  readonly sender: string | undefined;
}

const first = attackWallets.first.address;
/** Seconds of computing to look for what opens the entry points. */
const patience = 4;

/** Finds a claim at each function of a contract that takes a verification. */
export async function inventClaims(
  node: Eip1193Connection,
  stage: Stage,
  target: Target,
  { given = {}, token }: Known,
): Promise<{ readonly found: Invented[]; readonly closed: Closed[] }> {
  const { address, owner } = target;
  const { entryPoints, others } = readDoors(target.abi);
  const prices = await readAmounts(stage, target);
  const senders = [undefined, owner, ...(await readAddresses(stage, target))];

  const endow = async (account: string) => {
    if (token === undefined) return;
    const data = erc20.encodeFunctionData("mint", [account, 10n ** 30n]);
    await stage.spend({ from: first, to: token, data });
  };
  const provide = async (wallet: string) => {
    await stage.act(wallet);
    await endow(wallet);
    if (token === undefined) return;
    const data = erc20.encodeFunctionData("approve", [address, MaxUint256]);
    await stage.spend({ from: wallet, to: token, data });
  };

  const callOf = (
    entry: EntryPoint,
    { choice, sender }: Way,
    wallet: string,
    verification: SignedVerification,
  ): Call => ({
    from: sender ?? wallet,
    to: address,
    data: encode(entry, invent(entry, { given, ...choice, caller: wallet }, verification)),
    value: entry.payable ? choice.value : 0n,
  });

  const mint = () =>
    mintVerification(node, { consumer: address, user: first, identity: "alice", registry: target.registry });

  /** Finds the arguments that change most of the contract's storage, or says why none do. */
  async function tryArguments(entry: EntryPoint): Promise<Way | { readonly refusal: string }> {
    let refusal: string | undefined;
    for (const sender of senders) {
      const { verification } = await mint();
      const all = choices(entry, prices).slice(0, sender === undefined ? 60 : 8);
      const compose = (choice: Choice) => callOf(entry, { choice, sender }, first, verification);
      const onRefusal = (revert: string) => {
        refusal ??= describeRevert(revert, { abis: [target.abi] }).text;
      };
      let best: Taken | undefined;
      for await (const taken of tryChoices(stage, all, compose, onRefusal)) {
        if (taken.done.changed.size > (best?.done.changed.size ?? 0)) best = taken;
      }
      if (best !== undefined) return { choice: best.choice, sender };
    }
    return { refusal: refusal ?? "nothing, and changes nothing" };
  }

  /** Reads on what parts of the state it depends whether an entry point admits somebody. */
  async function placesOf(entry: EntryPoint): Promise<Places> {
    const { verification } = await mint();
    const calls = choices(entry, prices)
      .slice(0, 8)
      .map((choice) => callOf(entry, { choice, sender: undefined }, first, verification));
    const places = await Promise.all(calls.map(stage.placesOf));
    return new Set(places.flatMap((each) => [...each]));
  }

  function openBy(door: Door, by: string | undefined, choice: Choice): Opening {
    const callFor = (wallet: string): Call => ({
      from: by ?? wallet,
      to: address,
      data: encode(door, invent(door, { given, ...choice, addresses: [wallet], caller: by ?? wallet })),
      value: door.payable ? choice.value : 0n,
    });
    const who = by === undefined ? "The first wallet" : "The owner";
    return {
      forEach: by === undefined || /address/.test(door.name),
      run: (wallet) => stage.spend(callFor(wallet)),
      call: { what: `${who} calls ${door.name}.`, by: callFor(first) },
    };
  }

  const openings: Opening[] = [
    {
      forEach: false,
      run: async () => {
        await stage.fund(address, 10n ** 21n);
        await endow(address);
      },
    },
    // Some count in blocks.
    ...[1, day, 3 * day, month].map((seconds) => ({
      forEach: false,
      run: () => stage.pass(seconds, seconds < day ? 1 : 7_201),
    })),
    ...[owner, undefined].flatMap((by) =>
      others.flatMap((door) =>
        choices(door)
          .slice(0, 4)
          .map((choice) => openBy(door, by, choice)),
      ),
    ),
  ];

  /** Finds a claim after one of the openings. */
  async function open(entry: EntryPoint): Promise<Invented | undefined> {
    const needed = await placesOf(entry);
    for (const opening of openings) {
      if (isOver()) return undefined;
      // A call that touches nothing on which a refusal depends does not change it.
      const outcome = opening.call && (await stage.simulate(opening.call.by));
      if (outcome && ("revert" in outcome || !isTouched(needed, outcome.done.changed))) continue;
      const way = await stage.undone(async () => {
        await opening.run(first);
        return tryArguments(entry);
      });
      if ("choice" in way) return describe(entry, way, opening);
    }
    return undefined;
  }

  const describe = (entry: EntryPoint, way: Way, opening?: Opening): Invented => ({
    entryPoint: entry.name,
    says: sayCall(entry, way.choice, given),
    claim: ({ verification, wallet, sender, send }) => {
      const { args: _, ...signed } = verification;
      const own = { ...way, sender: way.sender && sender.address };
      const { value = 0n, ...call } = callOf(entry, own, wallet.address, signed);
      return send({ ...call, value: toQuantity(value) });
    },
    options: {
      sender: way.sender,
      async prepare({ address: wallet }) {
        await provide(wallet);
        if (opening?.forEach) await opening.run(wallet);
      },
    },
    opening: async (scene) => {
      await provide(first);
      if (opening === undefined || opening.forEach) return;
      const { call, run } = opening;
      await (call === undefined ? run(first) : scene.send(call.what, call.by));
    },
  });

  const found: Invented[] = [];
  const closed: Closed[] = [];
  const isOver = startPatience(patience);
  await stage.undone(async () => {
    await provide(first);
    for (const entry of entryPoints) {
      const way = await tryArguments(entry);
      const claim = "choice" in way ? describe(entry, way) : await open(entry);
      if (claim !== undefined) found.push(claim);
      else if ("refusal" in way) closed.push({ entryPoint: entry.name, refusal: way.refusal });
    }
  });
  return { found, closed };
}

/** Writes a call as Solidity does, with the names of what differs from claim to claim. */
function sayCall(entry: EntryPoint, choice: Choice, given: Readonly<Record<string, unknown>>): string {
  const wallet = accountOf("wallet");
  const values = invent(entry, { given, ...choice, caller: wallet });
  const say = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(say).join(", ")}]`;
    if (value === wallet) return "wallet";
    return typeof value === "string" && !value.startsWith("0x") ? JSON.stringify(value) : String(value);
  };
  const args = entry.fragment.inputs.map((_, i) => {
    const part = entry.places.get(String(i));
    return part ?? say(values[i]);
  });
  const value = entry.payable && choice.value > 0n ? `{value: ${choice.value}}` : "";
  return `${entry.fragment.name}${value}(${args.join(", ")})`;
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
