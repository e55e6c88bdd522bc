import { Fragment, FunctionFragment, Interface, type ParamType } from "ethers";
import type { AbiEntry } from "hardhat-identity/internal/consumer/compiledContract";

/** The parts of a verification, in the order of a client's answer. */
export const parts = ["identityHash", "expiration", "signature"] as const;
export type Part = (typeof parts)[number];

/** A function that changes state. */
export interface Door {
  /** Its signature, such as `claim(bytes32,uint40,bytes)`; `receive()` for ether without data. */
  readonly name: string;
  /** Absent for `receive()` and `fallback()`, which take no arguments. */
  readonly fragment: FunctionFragment | undefined;
  readonly payable: boolean;
  /** The call as it was made, if the claim makes it at another contract. */
  readonly made?: { readonly to: string; readonly data: string };
}

/** A function that takes a verification. */
export interface EntryPoint extends Door {
  readonly fragment: FunctionFragment;
  /** Where its parts are among the arguments, as a path of positions such as `1.0`. */
  readonly places: ReadonlyMap<string, Part>;
}

/** Whether ethers can read an entry of an ABI. It knows no parameter of a function type. */
export function isReadable(entry: AbiEntry): boolean {
  try {
    Fragment.from(entry);
    return true;
  } catch {
    return false;
  }
}

/** Sorts a contract's functions that change state into those that take a verification and the others. */
export function readDoors(abi: readonly AbiEntry[]): { entryPoints: EntryPoint[]; others: Door[] } {
  const entryPoints: EntryPoint[] = [];
  const others: Door[] = [];
  for (const item of abi) {
    if (item.type === "receive" || (item.type === "fallback" && item.stateMutability === "payable")) {
      others.push({ name: `${item.type}()`, fragment: undefined, payable: true });
    }
    if (item.type !== "function" || /^(view|pure)$/.test(item.stateMutability ?? "")) continue;
    const fragment = FunctionFragment.from(item);
    const door = { name: fragment.format("sighash"), fragment, payable: fragment.payable };
    const places = findVerification(fragment.inputs);
    if (places === undefined) others.push(door);
    else entryPoints.push({ ...door, fragment, places });
  }
  return { entryPoints, others };
}

/** The function's bare name, as in a sentence. */
export const short = ({ name }: { readonly name: string }) => `${name.split("(")[0]}()`;

/** A parameter, a member of a struct or an item of a list, as a path of positions such as `1.0` or `2.item`. */
export interface Leaf {
  readonly path: string;
  readonly type: ParamType;
}

/** Lists the parameters, with the members of structs and the items of lists. */
function leavesOf(inputs: readonly ParamType[], prefix = ""): Leaf[] {
  return inputs.flatMap((type, i) => leavesIn(type, `${prefix}${i}`));
}

function leavesIn(type: ParamType, path: string): Leaf[] {
  if (type.isTuple()) return leavesOf(type.components, `${path}.`);
  if (type.isArray()) return leavesIn(type.arrayChildren, `${path}.item`);
  return [{ path, type }];
}

const types: Readonly<Record<Part, RegExp>> = {
  identityHash: /^bytes32$/,
  expiration: /^uint\d*$/,
  signature: /^bytes$/,
};

const exactly = { identityHash: "bytes32", expiration: "uint40", signature: "bytes" };

/** Common names of the parts, where the type is ambiguous. */
const likeNames: Readonly<Record<Part, RegExp>> = {
  identityHash: /identity|person|human|nullifier/i,
  expiration: /expiration|expiry|expires|until|deadline/i,
  signature: /sig|attestation|proof/i,
};

/** Finds a verification by the names of its parts, by their types in a row, or else by what each is like. */
function findVerification(inputs: readonly ParamType[]): Map<string, Part> | undefined {
  const leaves = leavesOf(inputs);
  const byName = parts.map((part) =>
    leaves.find(({ type }) => type.name.replace(/^_+|_+$/g, "") === part && types[part].test(type.type)),
  );
  if (byName.every((leaf) => leaf !== undefined)) return toPlaces(byName);
  const at = leaves.findIndex((_, i) => parts.every((part, j) => leaves[i + j]?.type.type === exactly[part]));
  if (at !== -1) return toPlaces(leaves.slice(at, at + 3));
  const like = parts.map((part) => {
    const named = leaves.filter(({ type }) => types[part].test(type.type) && likeNames[part].test(type.name));
    const typed = leaves.filter(({ type }) => type.type === exactly[part]);
    return [named, typed].find(({ length }) => length === 1)?.[0];
  });
  return like.every((leaf) => leaf !== undefined) ? toPlaces(like) : undefined;
}

const toPlaces = (leaves: readonly Leaf[]) =>
  new Map(parts.map((part, i): [string, Part] => [leaves[i]?.path ?? "", part]));

/** Encodes a call with the values of its parameters. */
export function encode({ fragment }: Door, values: readonly unknown[]): string {
  if (fragment === undefined) return "0x";
  const known = interfaces.get(fragment) ?? new Interface([fragment]);
  interfaces.set(fragment, known);
  return known.encodeFunctionData(fragment, values);
}

/** Composing one hashes the signature. */
const interfaces = new WeakMap<FunctionFragment, Interface>();
