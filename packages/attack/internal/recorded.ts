// The recorded call: where the verification is in it, and what else can be changed, one thing at a time.
import { checksumAddress } from "@hardhat-identity/protocol/address";
import type { SignedVerification } from "@hardhat-identity/protocol/verification";
import { AbiCoder, type FunctionFragment, type Interface, type ParamType, toBeHex } from "ethers";
import { isCodeOf } from "hardhat-identity/internal/consumer/compiledContract";
import { findImplementation, readCode } from "hardhat-identity/internal/consumer/erc1967";
import type { Compiled } from "hardhat-identity/internal/testing/attack";
import {
  type Arguments,
  countOf,
  type Edit,
  type Inner,
  insideOf,
  type Leaf,
  listLeaves,
  otherValues,
  outermost,
  readArguments,
  readFunctions,
  setSigned,
  setValue,
  substitute,
} from "./calldata.ts";
import { isReadable } from "./functions.ts";
import type { Change, Target } from "./play.ts";
import { type Call, type Done, type Stage, wealth } from "./stage.ts";

/** The transaction of a claim that takes the verification. */
export class Recorded {
  /** As it was sent. */
  readonly call: Call;
  /** The consumer's function that gets the verification. */
  readonly entry: FunctionFragment | undefined;
  readonly args: Arguments | undefined;
  /** The values of the call that are no part of the verification. */
  readonly free: readonly Leaf[];
  /** The single changes of the call's other arguments and of its ether. */
  readonly edits: readonly Edit[];
  /** The arguments by name, which other functions may take, too. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly #target: Target;
  readonly #place: Place;
  /** The names of the arguments that hold the verification. */
  readonly #signed: readonly string[];
  /** The messages that the claimant has signed for it. */
  readonly #messages: readonly unknown[];

  constructor(
    target: Target,
    call: Call,
    verification: SignedVerification,
    place: Place,
    messages: readonly unknown[] = [],
  ) {
    this.call = call;
    this.entry = place.entry;
    this.#target = target;
    this.#place = place;
    this.#messages = messages;
    this.args = readArguments(place.spoken, place.isWritten ? place.input : place.inner.of(call.data));
    const parts = [verification.identityHash, verification.signature].map((part) =>
      part.slice(2).toLowerCase(),
    );
    const holds = (value: unknown) => {
      const text = JSON.stringify(value, asText).toLowerCase();
      return parts.some((part) => text.includes(part));
    };
    const isPart = ({ type, value }: { readonly type: ParamType; readonly value: unknown }) =>
      /^uint/.test(type.type)
        ? String(value) === String(verification.expiration)
        : (/^bytes/.test(type.type) || type.isArray()) && holds(value);
    const { fragment, values = [] } = this.args ?? {};
    this.#signed = (fragment?.inputs ?? [])
      .filter((type, i) => isPart({ type, value: values[i] }) || holds(values[i]))
      .map(({ name }) => name);
    this.free = this.args === undefined ? [] : listLeaves(this.args).filter((leaf) => !isPart(leaf));
    this.given = this.argumentsOf(call);
    this.edits = this.#listEdits();
  }

  /** The name of the function that claims. */
  get entryPoint(): string {
    return this.entry?.format("sighash") ?? `the claim at ${this.call.to ?? this.#target.address}`;
  }

  /** The function's bare name, as in a sentence. */
  get short(): string {
    return this.entry === undefined ? "The claim" : `${this.entry.name}()`;
  }

  /** The arguments of a call by name, without the verification. */
  argumentsOf({ data }: Call): Readonly<Record<string, unknown>> {
    const read = readArguments(this.#place.spoken, this.#place.inner.of(data));
    const named = read?.fragment.inputs.map(({ name }, i) => [name, read.values[i]] as const) ?? [];
    return Object.fromEntries(named.filter(([name]) => !this.#signed.includes(name)));
  }

  /** The values of another call of the same function, where the recorded one has those that are no part of the verification. */
  leavesOf({ data }: Call): readonly Leaf[] {
    const read = readArguments(this.#place.spoken, this.#place.inner.of(data));
    const places = new Set(this.free.map(({ path }) => path.join()));
    return read === undefined ? [] : listLeaves(read).filter(({ path }) => places.has(path.join()));
  }

  /** The amounts of the recorded call: its numbers, and its ether in wei. */
  get amounts(): readonly bigint[] {
    const numbers = this.free.flatMap(({ value }) => (typeof value === "bigint" ? [value] : []));
    return [...new Set([...numbers, this.call.value ?? 0n])]
      .filter((each) => each > 1n && each < wealth / 10n)
      .slice(0, 3);
  }

  /** Sets one value of the contract's call. */
  set(call: Call, leaf: Leaf, value: unknown): Call {
    const { spoken, inner, isWritten } = this.#place;
    if (!isWritten) return setValue(spoken, call, inner, leaf, value);
    const isWord = !leaf.type.isArray() && !/^(string|bytes)$/.test(leaf.type.type);
    const [from, to] = [leaf.value, value].map((each) => (isWord ? coder.encode([leaf.type], [each]) : "0x"));
    // A word that stands in the call twice may be another value, too.
    if (from === undefined || to === undefined || !isWord || countOf(call, from) !== 1) return call;
    return substitute(call, from, to);
  }

  /** Adds an item with another verification to each list of a call that has one for each verification; `undefined` if none has. */
  doubled(call: Call, valid: SignedVerification, next: SignedVerification): Call | undefined {
    const { spoken, inner } = this.#place;
    const read = readArguments(spoken, inner.of(call.data));
    if (read === undefined) return undefined;
    const isIn = (value: unknown) => JSON.stringify(value, asText).includes(valid.identityHash);
    const list = read.values.find((value) => Array.isArray(value) && isIn(value)) as unknown[] | undefined;
    const lists = read.fragment.inputs.map(
      (type, i) => type.isArray() && list !== undefined && Object(read.values[i]).length === list.length,
    );
    if (!lists.includes(true)) return undefined;
    const swap = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(swap);
      if (String(value) === String(valid.expiration)) return next.expiration;
      if (value === valid.identityHash) return next.identityHash;
      return value === valid.signature ? next.signature : value;
    };
    const values = read.values.map((value, i) =>
      lists[i] && Array.isArray(value) ? [...value, swap(value.at(-1))] : value,
    );
    const data = spoken.encodeFunctionData(read.fragment, values) + read.tail;
    return { ...call, data: inner.put(call.data, data) };
  }

  #listEdits(): readonly Edit[] {
    if (this.args === undefined) return [];
    const { value = 0n } = this.call;
    const ofArguments = this.free.flatMap((leaf) => this.#editsOf(leaf));
    const ofLists = [...this.#cutTogether(), ...this.#shift()];
    const ofPrice = ofArguments.flatMap((edit) => scaled(edit, value));
    const others = this.args.fragment.payable ? [0n, 1n, value + 1n, 2n * value] : [];
    const ofEther = [...new Set(others)].map(payInstead);
    return [...ofArguments, ...ofLists, ...ofPrice, ...ofEther].filter(({ apply }) => {
      const changed = apply(this.call);
      return changed.data !== this.call.data || changed.value !== this.call.value;
    });
  }

  /** Cuts lists that must have the same length. */
  #cutTogether(): Edit[] {
    const lists = this.#listsOf(2);
    const [leaf] = lists;
    if (leaf === undefined || lists.length < 2) return [];
    const cut = (call: Call, list: Leaf) => this.set(call, list, (list.value as unknown[]).slice(0, -1));
    const apply = (call: Call) => lists.reduce(cut, call);
    return [{ what: "one item less in each list", leaf, isMade: false, apply }];
  }

  /** Names the next of each number in a list, so that most of them are the same. */
  #shift(): Edit[] {
    return this.#listsOf(2).flatMap((list) => {
      const items = list.value as unknown[];
      if (!items.every((item) => typeof item === "bigint")) return [];
      const next = items.map((item) => item + 1n);
      return next.some((item) => items.includes(item)) ? [this.change(list, next, false)] : [];
    });
  }

  #listsOf(least: number): Leaf[] {
    return this.free.filter(
      ({ type, value, path }) => path.length === 1 && type.isArray() && Object(value).length >= least,
    );
  }

  /** Whether it has a list of several items. */
  get hasLists(): boolean {
    return this.#listsOf(2).length > 0;
  }

  /** Whether a value is in a list with other items, or is a list that has some of them, too. */
  isAmongOthers({ path }: Leaf, value: unknown): boolean {
    const isShared = (items: readonly unknown[]) =>
      Array.isArray(value) && value.some((one) => items.includes(one));
    return this.#listsOf(2).some(
      (list) => path[0] === list.path[0] && (path.length > 1 || isShared(list.value as unknown[])),
    );
  }

  /** Names the last item of all lists twice: as it is, or each time with half of its amount. */
  get repetitions(): { readonly twice: readonly Change[]; readonly inParts: readonly Change[] } {
    const lists = this.#listsOf(1);
    const repeat = (call: Call, amount?: Leaf) =>
      lists.reduce((changed, list) => {
        const items = list.value as unknown[];
        const last = items.at(-1);
        const parts = list === amount ? halve(last) : [last, last];
        return this.set(changed, list, [...items.slice(0, -1), ...parts]);
      }, call);
    const isAmount = ({ value }: Leaf) => {
      const parts = halve((value as unknown[]).at(-1));
      return parts.length > 0 && parts.every((part) => part > 4n);
    };
    return {
      twice: lists.length > 0 ? [{ what: "the last item twice", apply: (call) => repeat(call) }] : [],
      inParts: lists.filter(isAmount).map((list) => ({
        what: `the last item twice, each with half of its ${list.name}`,
        apply: (call) => repeat(call, list),
      })),
    };
  }

  /** Names the first item of one list in place of the last, and each time all of it at once, with the sum of another list. */
  get doublings(): readonly { readonly twice: Edit; readonly atOnce: Edit }[] {
    const lists = this.#listsOf(2);
    return lists.flatMap((named) =>
      lists.flatMap((amounts) => {
        const [items, numbers] = [named.value, amounts.value] as [unknown[], unknown[]];
        const sum = numbers.reduce<bigint>((all, each) => all + (typeof each === "bigint" ? each : 0n), 0n);
        if (named === amounts || items.length !== numbers.length || sum < 4n) return [];
        const twice = this.change(named, [...items.slice(0, -1), items[0]]);
        const cut = (call: Call, list: Leaf) =>
          this.set(call, list, list === amounts ? [sum] : (list.value as unknown[]).slice(0, 1));
        return [{ twice, atOnce: { ...twice, apply: (call: Call) => lists.reduce(cut, call) } }];
      }),
    );
  }

  /** Takes half of each number, or pays half of the ether. */
  get halves(): readonly Half[] {
    const { value: ether = 0n } = this.call;
    const halfOf = (of: bigint, edit: Edit, twice: Edit): Half => ({
      of,
      twice,
      half: of / 2n,
      isMostly: 3n * (of / 2n) > of,
      edit,
    });
    const ofNumbers = this.free.flatMap((leaf) => {
      const of = leaf.value;
      if (typeof of !== "bigint" || of < 2n) return [];
      const [half, double] = [this.change(leaf, of / 2n), this.change(leaf, 2n * of)];
      const [twice = double] = scaled(double, ether);
      return [halfOf(of, half, double), ...scaled(half, ether).map((each) => halfOf(of, each, twice))];
    });
    return ether < 2n
      ? ofNumbers
      : [...ofNumbers, halfOf(ether, payInstead(ether / 2n), payInstead(2n * ether))];
  }

  #isSigned(leaf: Leaf, value: unknown): boolean {
    const [before, after] = [this.#messages, setSigned(this.#messages, leaf, value)];
    return JSON.stringify(before, asText) !== JSON.stringify(after, asText);
  }

  #editsOf(leaf: Leaf): Edit[] {
    return otherValues(leaf).map(({ value, isMade, isLong }) => ({
      ...this.change(leaf, value, isMade),
      ...(isLong && { isLong }),
    }));
  }

  /** Changes a call before the claim: an approval names the same amount, and the same function the number before. */
  #changeBefore(call: Call, leaf: Leaf, value: bigint): Call {
    const now = BigInt(String(leaf.value));
    const isSame = this.entry !== undefined && call.data.startsWith(this.entry.selector);
    const own = isSame ? this.leavesOf(call).find(({ path }) => path.join() === leaf.path.join()) : undefined;
    if (own !== undefined && own.value !== leaf.value)
      return this.set(call, leaf, BigInt(String(own.value)) + value - now);
    if (now <= 9n) return call;
    return substitute(call, toBeHex(now, 32), toBeHex(value < 0n ? 0n : value, 32));
  }

  /** Composes the change of one value. */
  change(leaf: Leaf, value: unknown, isMade = true): Edit {
    return {
      what: `${leaf.name} = ${sayValue(value)}`,
      leaf,
      value,
      isMade,
      apply: (call) => this.set(call, leaf, value),
      ...(typeof value === "bigint" && { before: (call: Call) => this.#changeBefore(call, leaf, value) }),
      ...(this.#isSigned(leaf, value) && { sign: (message: unknown) => setSigned(message, leaf, value) }),
    };
  }
}

/** Sends other ether along. */
const payInstead = (wei: bigint): Edit => ({
  what: `value = ${wei} wei`,
  isMade: false,
  apply: (call) => ({ ...call, value: wei }),
});

/** Two parts of an amount; none of what is no number. */
function halve(amount: unknown): bigint[] {
  if (typeof amount !== "bigint") return [];
  return [amount / 2n, amount - amount / 2n];
}

/** Pays for another number in proportion: two cost twice as much. */
function scaled(edit: Edit, value: bigint): Edit[] {
  const [from, to] = [edit.leaf?.value, edit.value];
  if (value === 0n || typeof from !== "bigint" || typeof to !== "bigint" || from < 1n || to < 0n) return [];
  // Some prices grow; what is too much may come back.
  const prices = new Set([(value * to) / from, ...(to < 4n ? [(10n * value * to) / from] : [])]);
  return [...prices]
    .filter((price) => price <= wealth)
    .map((price) => ({
      ...edit,
      what: `${edit.what}, value = ${price} wei`,
      isScaled: true,
      apply: (call: Call) => ({ ...edit.apply(call), value: price }),
    }));
}

/** A claim that takes half of a number, rounded down. */
export interface Half {
  readonly of: bigint;
  readonly half: bigint;
  /** Whether three halves are more than the whole. */
  readonly isMostly: boolean;
  readonly edit: Edit;
  /** A claim that takes the number twice. */
  readonly twice: Edit;
}

/** Where the contract's call is in a transaction. */
interface Place {
  readonly entry: FunctionFragment | undefined;
  /** The call that the contract got. */
  readonly input: string;
  readonly inner: Inner;
  /** The functions by which the transaction is read: those of the consumer, or of the contract that calls it. */
  readonly spoken: Interface;
  /** Whether a contract whose ABI nobody knows writes the call, of which only words are known. */
  readonly isWritten: boolean;
}

/** Finds the contract's call in a transaction: itself, a part of its bytes, or a call that another contract writes. */
export async function locate(
  { node }: Stage,
  { address, abi }: Target,
  artifacts: () => Promise<readonly Compiled[]>,
  call: Call,
  { identityHash }: SignedVerification,
  done: Done,
): Promise<Place> {
  const functions = readFunctions(abi);
  const hash = identityHash.slice(2);
  const [, input = call.data] = done.inputs.find(([to, data]) => to === address && data.includes(hash)) ?? [];
  const entry = functions.getFunction(input.slice(0, 10)) ?? undefined;
  const place = { entry, input, inner: outermost, spoken: functions, isWritten: false };
  const start = call.data.toLowerCase().indexOf(input.slice(2));
  if (start > 2) return { ...place, inner: insideOf(start, input.length - 2) };
  if (call.to === undefined || checksumAddress(call.to) === address) return place;
  // Another contract writes the call, as a service does; then its own arguments are changed.
  const code = await readCode(node, await findImplementation(node, call.to));
  const caller = (await artifacts()).find((each) => isCodeOf(code, each));
  if (caller === undefined) return { ...place, isWritten: true };
  return { ...place, spoken: readFunctions(caller.abi.filter(isReadable)) };
}

const coder = AbiCoder.defaultAbiCoder();
const asText = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
const sayValue = (value: unknown): string => {
  const text = typeof value === "object" ? JSON.stringify(value, asText) : String(value);
  return text.length > 42 ? `${text.slice(0, 20)}…` : text;
};
