// Reads a claim's call, and changes it.
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import {
  FunctionFragment,
  hexlify,
  Interface,
  id,
  type ParamType,
  toBeHex,
  toUtf8Bytes,
  ZeroAddress,
} from "ethers";
import type { AbiEntry } from "hardhat-identity/internal/consumer/compiledContract";
import type { Call } from "./stage.ts";

/** A value inside of a call: a parameter, a member of a struct, an item of a list, or a whole list. */
export interface Leaf {
  readonly path: readonly number[];
  /** Such as `proofs[0].amount`. */
  readonly name: string;
  readonly type: ParamType;
  readonly value: unknown;
}

/** One change of a call. */
export interface Edit {
  /** In words, such as `amount = 2`. */
  readonly what: string;
  /** Whether nobody has announced the value, so that others like it would do as well. */
  readonly isMade: boolean;
  /** The function's parameter that is changed, and what to; absent for the ether. */
  readonly leaf?: Leaf;
  readonly value?: unknown;
  /** Whether it adds bits to the recorded number, all of them above those that a shorter type has. */
  readonly isLong?: boolean;
  /** Whether the ether was changed in proportion. */
  readonly isScaled?: boolean;
  apply(call: Call): Call;
  /** Changes the same value in a transaction before the claim, such as an approval. */
  before?(call: Call): Call;
  /** Changes the same value in a message that the wallet signs (EIP-712). */
  sign?(message: unknown): unknown;
}

/** A call of a contract, read by its ABI. */
export interface Arguments {
  readonly fragment: FunctionFragment;
  readonly values: readonly unknown[];
  /** Bytes after the arguments, such as the sender of ERC-2771. */
  readonly tail: string;
}

/** The functions of a contract by which calls are read and written. */
export const readFunctions = (abi: readonly AbiEntry[]): Interface =>
  new Interface(abi.filter(({ type }) => type === "function").map((entry) => FunctionFragment.from(entry)));

/** Reads the arguments of a call; `undefined` if the contract has no such function. */
export function readArguments(functions: Interface, data: string): Arguments | undefined {
  const fragment = functions.getFunction(data.slice(0, 10));
  if (fragment === null) return undefined;
  try {
    const values = functions.decodeFunctionData(fragment, data).toArray(true);
    return { fragment, values, tail: data.slice(functions.encodeFunctionData(fragment, values).length) };
  } catch {
    return undefined;
  }
}

/** Lists the values of a call. */
export function listLeaves({ fragment, values }: Pick<Arguments, "fragment" | "values">): Leaf[] {
  return fragment.inputs.flatMap((type, i) =>
    leavesIn(type, values[i], [i], type.name || `argument ${i + 1}`),
  );
}

function leavesIn(type: ParamType, value: unknown, path: readonly number[], name: string): Leaf[] {
  const list = value as readonly unknown[];
  if (type.isTuple()) {
    return type.components.flatMap((each, i) =>
      leavesIn(each, list[i], [...path, i], `${name}.${each.name || i}`),
    );
  }
  if (!type.isArray()) return [{ path, name, type, value }];
  const items = list.flatMap((each, i) => leavesIn(type.arrayChildren, each, [...path, i], `${name}[${i}]`));
  return type.arrayLength === -1 ? [{ path, name, type, value }, ...items] : items;
}

/** Sets one value of a call, which stays as it is if it has no such value. */
export function setValue(functions: Interface, call: Call, at: Inner, { path }: Leaf, value: unknown): Call {
  const read = readArguments(functions, at.of(call.data));
  if (read === undefined) return call;
  try {
    const encoded = functions.encodeFunctionData(read.fragment, replace(read.values, path, value));
    return { ...call, data: at.put(call.data, encoded + read.tail) };
  } catch {
    return call;
  }
}

function replace(
  values: readonly unknown[],
  [at = 0, ...rest]: readonly number[],
  value: unknown,
): unknown[] {
  return values.map((each, i) => {
    if (i !== at) return each;
    return rest.length === 0 ? value : replace(each as readonly unknown[], rest, value);
  });
}

/** Sets a value in a message, wherever it stands under the name of its parameter. */
export function setSigned(message: unknown, leaf: Leaf, value: unknown): unknown {
  if (Array.isArray(message)) return message.map((each) => setSigned(each, leaf, value));
  if (typeof message !== "object" || message === null) return message;
  const isIt = (name: string, was: unknown) => name === leaf.type.name && isEqual(was, leaf.value);
  return Object.fromEntries(
    Object.entries(message).map(([name, was]) => [
      name,
      isIt(name, was) ? String(value) : setSigned(was, leaf, value),
    ]),
  );
}

/** Whether two values are the same, of which one may be a number, and the other one the same as text. */
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof other !== "bigint") return String(one).toLowerCase() === String(other).toLowerCase();
  return /^(0x[\da-f]+|\d+)$/i.test(String(one)) && BigInt(String(one)) === other;
}

/** Names the last item of each list of a call once more; `undefined` if it has none. */
export function repeatItems(functions: Interface, call: Call): Call | undefined {
  const read = readArguments(functions, call.data);
  const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;
  const lists = read?.fragment.inputs.map((type, i) => type.arrayLength === -1 && isList(read.values[i]));
  if (read === undefined || !lists?.includes(true)) return undefined;
  const values = read.values.map((value, i) =>
    lists[i] && isList(value) ? [...value, value.at(-1)] : value,
  );
  return { ...call, data: functions.encodeFunctionData(read.fragment, values) + read.tail };
}

/** Where the contract's call is in a transaction: it may be inside of another contract's call. */
export interface Inner {
  of(data: string): string;
  put(data: string, inner: string): string;
}

/** The transaction calls the contract itself. */
export const outermost: Inner = { of: (data) => data, put: (_, inner) => inner };

/** The contract's call is a part of the transaction's bytes, and keeps its length. */
export const insideOf = (start: number, length: number): Inner => ({
  of: (data) => `0x${data.slice(start, start + length)}`,
  put: (data, inner) =>
    inner.length - 2 === length ? data.slice(0, start) + inner.slice(2) + data.slice(start + length) : data,
});

/** An account that no contract knows, and another one. */
export const newcomers = ["newcomer", "another newcomer"].map((name) => `0x${id(name).slice(26)}`);

/** Lists values that a parameter could have instead: those that are near or common first, then made-up ones. */
export function otherValues({ type, value }: Leaf): Pick<Edit, "value" | "isMade" | "isLong">[] {
  const known = (...values: unknown[]) => values.map((each) => ({ value: each, isMade: false }));
  const made = (...values: unknown[]) => values.map((each) => ({ value: each, isMade: true }));
  if (type.isArray()) {
    const list = value as readonly unknown[];
    const last = list.at(-1);
    if (last === undefined) return [];
    const item = { path: [], name: "", type: type.arrayChildren, value: last };
    const fresh = otherValues(item).filter(({ isMade }) => isMade);
    // Items that must differ are changed together, each to another one.
    const moved = fresh.map(({ value: next }) =>
      list.map((_, i) => (typeof next === "bigint" ? next + BigInt(i) : next)),
    );
    return [...known(list.slice(0, -1), [...list, last]), ...made(...moved)];
  }
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(type.type) ?? [];
  if (bits !== undefined) {
    const most = (1n << (BigInt(bits) - (unsigned ? 0n : 1n))) - 1n;
    const now = BigInt(String(value));
    const near = [0n, 1n, 2n, 3n, now + 1n, now - 1n, 2n * now, 100n * now].filter(
      (each) => each >= 0n && each <= most,
    );
    // A number that is cut to fewer bits, and then checked, passes for the recorded one.
    const long = now + (1n << (BigInt(bits) / 2n));
    const far = [77n, 201n, 1_000_003n, BigInt(id("made up")) & most, long].filter((each) => each <= most);
    const distinct = [...new Set([...near, ...far])].filter((each) => each !== now);
    return distinct.map((each) => ({
      value: each,
      isMade: far.includes(each),
      ...(each === long && { isLong: true }),
    }));
  }
  if (type.type === "bool") return known(value !== true);
  if (type.type === "address")
    return [...made(...newcomers), ...known(ZeroAddress)].filter((each) => each.value !== value);
  const texts = [
    "another",
    "a third",
    "a text that is longer than a word",
    "another one that is longer than a word",
  ];
  if (type.type === "string") return [...known(""), ...made(...texts)];
  if (type.type === "bytes")
    return [
      ...known("0x"),
      ...made("0x01", "0x0203", ...texts.slice(2).map((text) => hexlify(toUtf8Bytes(text)))),
    ];
  const size = 2 + 2 * Number(type.type.slice(5));
  const words = ["made up", "another"].map((each) => id(each).slice(0, size));
  return [...known(`0x${"00".repeat(size / 2 - 1)}`), ...made(...words)].filter(
    (each) => each.value !== value,
  );
}

/** Replaces a word or an address in a call's bytes: all of them, or the one that is `which`. */
export function substitute({ data, ...call }: Call, from: string, to: string, which?: number): Call {
  const [old, next] = [from.slice(2).toLowerCase(), to.slice(2).toLowerCase()];
  const pieces = data.toLowerCase().split(old);
  const joined = pieces.reduce(
    (all, piece, i) => all + (which === undefined || which === i - 1 ? next : old) + piece,
  );
  return { ...call, data: joined };
}

/** Replaces a verification in a call's bytes. */
export function withVerification(call: Call, from: SignedVerification, to: SignedVerification): Call {
  const words = ({ identityHash, expiration, signature }: SignedVerification) =>
    [identityHash, signature, toBeHex(expiration, 32)] as const;
  const next = words(to);
  return words(from).reduce((one, word, i) => substitute(one, word, next[i] ?? word), call);
}

/** How often a word or an address is in a call's bytes. */
export const countOf = ({ data }: Call, word: string): number =>
  data.toLowerCase().split(word.slice(2).toLowerCase()).length - 1;
