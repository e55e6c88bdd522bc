import { checksumAddress } from "@hardhat-identity/protocol/address";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { keccak256, toBeHex } from "ethers";

/**
 * A transaction's effects, as marks that can be compared: `event <contract> <topic>`, `names <contract> <topic>
 * <address>` for an address in an event, `slot <contract> <position> +` or `-` for a value that grew or shrank, `ether
 * <account> -` for ether that an account paid which was called, `+` for what it kept.
 */
export type Effect = ReadonlySet<string>;

/** How much of each mark there is: how often an event stands in the log, by how much a value changed. */
export type Amounts = ReadonlyMap<string, bigint>;

/** Parts of the chain's state: `<contract> <slot>` of a storage, or an `<account>` itself, with its ether and code. */
export type Places = ReadonlySet<string>;

/** The effects of a call that was made or simulated. */
export interface Observed {
  /** The account that sent it. */
  readonly from: string;
  readonly gasUsed: bigint;
  readonly answer: string;
  /** The new contract, if it was a deployment. */
  readonly created: string | undefined;
  readonly effect: Effect;
  readonly amounts: Amounts;
  readonly logs: readonly Log[];
  /** The contracts and accounts that contracts called meanwhile. */
  readonly called: ReadonlySet<string>;
  /** The contracts that were called, each with the data. */
  readonly inputs: readonly (readonly [to: string, data: string])[];
  /** The calls that contracts made meanwhile, but for those that only read. */
  readonly made: readonly Made[];
  /** The storage slots and balances that it changed. */
  readonly changed: Places;
}

/** A call that a contract made. */
export interface Made {
  readonly from: string;
  readonly to: string;
  readonly data: string;
}

/** An event, as a node logs it. */
export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** A call, as the tracer `callTracer` tells it. */
export interface Frame {
  readonly type: string;
  readonly from: string;
  readonly to?: string;
  readonly gasUsed: string;
  readonly input?: string;
  readonly output?: string;
  readonly error?: string;
  readonly logs?: readonly Log[];
  readonly calls?: readonly Frame[];
}

interface Account {
  readonly balance?: string;
  readonly storage?: Readonly<Record<string, string>>;
}

type State = Readonly<Record<string, Account>>;

/** Asks a node's tracer about a transaction, by its hash, or about a call that is only simulated. */
export async function trace(node: Eip1193Connection, subject: unknown, options: object) {
  return Object(
    await node.request(
      typeof subject === "string"
        ? { method: "debug_traceTransaction", params: [subject, options] }
        : { method: "debug_traceCall", params: [subject, "latest", options] },
    ),
  );
}

/** Observes a transaction or a call; returns its revert data if it reverts. */
export async function observe(
  node: Eip1193Connection,
  subject: unknown,
): Promise<Observed | { readonly revert: string }> {
  const top: Frame = await trace(node, subject, { tracer: "callTracer", tracerConfig: { withLog: true } });
  if (top.error !== undefined) return { revert: top.output ?? "0x" };
  const tracerConfig = { diffMode: true, disableCode: true };
  const diff = await trace(node, subject, { tracer: "prestateTracer", tracerConfig });
  const frames = framesOf(top);
  const logs = frames.flatMap((frame) => frame.logs ?? []);
  const reached = frames.map(({ to }) => checksumAddress(to ?? ""));
  const changes = changesOf(diff, new Set(reached));
  const amounts = new Map(
    changes.flatMap(({ mark, amount }) => (mark === undefined ? [] : [[mark, amount]])),
  );
  for (const mark of logs.flatMap(readLog)) amounts.set(mark, (amounts.get(mark) ?? 0n) + 1n);
  return {
    from: checksumAddress(top.from),
    gasUsed: BigInt(top.gasUsed),
    answer: top.output ?? "0x",
    created: top.type.startsWith("CREATE") ? checksumAddress(top.to ?? "") : undefined,
    amounts,
    effect: new Set(amounts.keys()),
    logs,
    called: new Set(reached.slice(1)),
    inputs: frames.map(({ input = "0x" }, i) => [reached[i] ?? "", input.toLowerCase()] as const),
    made: frames
      .slice(1)
      .flatMap(({ type, from, to, input: data = "0x" }) =>
        type === "CALL" ? [{ from: checksumAddress(from), to: checksumAddress(to ?? ""), data }] : [],
      ),
    changed: new Set(changes.map(({ place }) => place)),
  };
}

/** Reads on what parts of the state a call depends. */
export async function readPlaces(node: Eip1193Connection, call: unknown): Promise<Places> {
  const options = { tracer: "prestateTracer", tracerConfig: { disableCode: true } };
  const state: State = await trace(node, call, options);
  return new Set(
    Object.entries(state).flatMap(([address, { storage = {} }]) => {
      const account = checksumAddress(address);
      return [account, ...Object.keys(storage).map((slot) => `${account} ${slot}`)];
    }),
  );
}

/** A frame and the frames in it, without those that reverted. */
function framesOf(frame: Frame): Frame[] {
  return frame.error === undefined ? [frame, ...(frame.calls ?? []).flatMap(framesOf)] : [];
}

interface Change {
  readonly place: string;
  /** Absent for values that are no amount, such as the code of a new contract. */
  readonly mark?: string;
  readonly amount: bigint;
}

/** Reads what changed from the state before to that after, of which the tracer leaves out what stayed and what is zero. */
function changesOf({ pre = {}, post = {} }: { pre?: State; post?: State }, called: Places): Change[] {
  return Object.keys({ ...pre, ...post }).flatMap((address) => {
    const account = checksumAddress(address);
    const [before, after] = [pre[address], post[address] ?? {}];
    // A new contract has no amounts to compare.
    if (before === undefined) return [{ place: account, amount: 0n }];
    const slots = Object.keys({ ...before.storage, ...after.storage }).flatMap((slot) =>
      change(`${account} ${slot}`, `slot ${account} ${slot}`, before.storage?.[slot], after.storage?.[slot]),
    );
    // The ether of others pays for gas, or is paid with it.
    if (!called.has(account)) return slots;
    const ether = change(account, `ether ${account}`, before.balance, after.balance ?? before.balance);
    return [...slots, ...ether];
  });
}

function change(place: string, mark: string, before = "0x0", after = "0x0"): Change[] {
  const amount = BigInt(after) - BigInt(before);
  if (amount === 0n) return [];
  return [amount > 0n ? { place, mark: `${mark} +`, amount } : { place, mark: `${mark} -`, amount: -amount }];
}

function readLog({ address, topics: [topic = "", ...indexed], data }: Log): string[] {
  const contract = checksumAddress(address);
  const words = [...indexed, ...(data.slice(2).match(/.{64}/g) ?? []).map((word) => `0x${word}`)];
  const addresses = words.filter((word) => /^0x0{24}(?!0{12})/.test(word));
  return [
    `event ${contract} ${topic}`,
    ...addresses.map((word) => `names ${contract} ${topic} ${checksumAddress(`0x${word.slice(26)}`)}`),
  ];
}

/** The marks that are in both. */
export const shared = (marks: Effect, others: Effect): Set<string> =>
  new Set([...marks].filter((mark) => others.has(mark)));

/** Whether a read depends on the changes. */
export const isTouched = (places: Places, changed: Places): boolean =>
  [...changed].some((place) => places.has(place));

/** Whether a mark is of a value in storage that grew. */
export const isGrowth = (mark: string): boolean => /^slot .*\+$/.test(mark);

/** The mark of a value that falls where another one has it grow. */
export const lossOf = (growth: string): string => growth.replace(/\+$/, "-");

/** The marks of values in storage. */
export const slotsIn = (marks: Effect): Set<string> =>
  new Set([...marks].filter((mark) => mark.startsWith("slot ")));

/** The marks of values: in storage, and of ether. */
export const valuesIn = (marks: Effect): Set<string> =>
  new Set([...marks].filter((mark) => /^(slot|ether) /.test(mark)));

/** The share of some marks that others have, too: from 0 to 1. */
export function overlap(marks: Effect, others: Effect): number {
  return marks.size === 0 ? 0 : shared(marks, others).size / marks.size;
}

/** Whether some mark is there twice: a value of as much again, or an event that new slots bear out. */
export function isTwice(marks: Effect, once: Amounts, again: Amounts): boolean {
  const [before = 0, after = 0] = [once, again].map((each) => slotsIn(new Set(each.keys())).size);
  const shown = before === 0 || after > before ? marks : valuesIn(marks);
  return [...shown].some((mark) => once.has(mark) && (again.get(mark) ?? 0n) >= 2n * (once.get(mark) ?? 0n));
}

/**
 * Whether a word of storage grows by as much again; several numbers may share a word, of which another one may grow. A hash
 * in place of a number is no growth. A list grows by as much only if the same items are added: a history of votes does not.
 */
export function isMultiple(before: Amounts, after: Amounts, mark: string): boolean {
  const [once, again] = [before.get(mark), after.get(mark)];
  if (!mark.startsWith("slot ") || once === undefined || again === undefined) return false;
  const [items, more] = [itemsOf(before, mark), itemsOf(after, mark)];
  if (more.length > 0) return more.every((item) => items.includes(item));
  return again % once === 0n && (again < 2n ** 200n || once >= 2n ** 200n);
}

/** The lengths of lists to which an account, and nothing else, was added. */
export const listsOf = (amounts: Amounts, account: string): string[] =>
  [...amounts.keys()].filter((mark) => {
    const [item, ...more] = isGrowth(mark) ? itemsOf(amounts, mark) : [];
    return item === BigInt(account) && more.length === 0 && amounts.get(mark) === 1n;
  });

/** The items that were added to a list; none if a mark is not of a list's length. */
function itemsOf(amounts: Amounts, mark: string): bigint[] {
  const [, contract, length = ""] = mark.split(" ");
  const start = BigInt(keccak256(toBeHex(length, 32)));
  return [...amounts].flatMap(([each, amount]) => {
    const [, place, slot = "0x0"] = each.split(" ");
    const at = each.startsWith("slot ") && place === contract ? BigInt(slot) - start : -1n;
    return at >= 0n && at < 2n ** 32n ? [amount] : [];
  });
}

/** The marks of one wallet's gains that another wallet's do not have: what belongs to the wallet. */
export const gainsOfOne = (gains: Effect, ofAnother: Effect): Set<string> =>
  new Set([...gains].filter((mark) => !ofAnother.has(mark)));
