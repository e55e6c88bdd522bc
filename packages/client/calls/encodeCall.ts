import { encodeSequence } from "@hardhat-identity/protocol/abiWords";
import { bytesToHex, utf8ToBytes } from "@hardhat-identity/protocol/bytes";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { keccak_256 } from "@noble/hashes/sha3.js";
import {
  type AbiFunction,
  type AbiItem,
  type AbiParameter,
  encodeValue,
  parseFunction,
  writeType,
} from "../internal/abi.ts";
import { invalidArgument } from "../internal/arguments.ts";

/** A function and its arguments. */
export interface EncodeCallOptions {
  /** A JSON ABI, or a function's Solidity signature. */
  readonly abi: string | readonly AbiItem[];
  /** Its name in a JSON ABI, unless only one function takes these arguments. */
  readonly functionName?: string | undefined;
  /** The result of `requestVerification`. */
  readonly verification?:
    | { readonly identityHash: string; readonly expiration: number; readonly signature: string }
    | undefined;
  /** By parameter name. Integers are bigints or safe integers, bytes hex, structs objects. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Encodes a call of an entry point, or of any function. `verification` fills the parameters `identityHash`,
 * `expiration` and `signature`, or the members of these names of one struct, `args` the others.
 *
 * @throws IdentityError `client_invalid_argument`.
 * @example
 * ```ts
 * import { encodeCall } from "@hardhat-identity/client";
 *
 * const verification = {
 *   identityHash: "0x3fd54831f488a22b28398de0c567a3b064b937f54f81739ae9bd545967f3abab",
 *   expiration: 1_900_000_000,
 *   signature: `0x${"00".repeat(65)}`,
 * };
 * const data = encodeCall({
 *   abi: "deposit(uint256 amount, bytes32 identityHash, uint40 expiration, bytes signature)",
 *   verification,
 *   args: { amount: 25n },
 * });
 * console.log(data.slice(0, 10)); // 0xd033d87c
 * ```
 */
export function encodeCall(options: EncodeCallOptions): Hex {
  const { name, inputs, given } = chooseFunction(options, collectGiven(options));
  for (const [key, { path }] of given) {
    if (inputs.some((input) => input.name === key)) continue;
    const takes = inputs.map((input) => [writeType(input), input.name].filter(Boolean).join(" ")).join(", ");
    throw invalidArgument(path, `a parameter of ${name}, which takes ${takes || "nothing"}`);
  }
  const values = inputs.map((input) => {
    if (!input.name) throw invalidArgument("abi", `one that names every parameter of ${name}`);
    const argument = given.get(input.name);
    if (argument === undefined) throw invalidArgument(`args.${input.name}`, `a ${input.type}`, undefined);
    return encodeValue(input, argument.value, argument.path);
  });
  const signature = `${name}(${inputs.map(writeType).join(",")})`;
  const selector = bytesToHex(keccak_256(utf8ToBytes(signature)).subarray(0, 4));
  return `0x${selector}${encodeSequence(values).hex}`;
}

/** An argument, and its name in errors. */
interface Given {
  readonly value: unknown;
  readonly path: string;
}

/** A function, and the arguments by its parameters' names. */
interface PreparedFunction extends AbiFunction {
  readonly given: ReadonlyMap<string, Given>;
}

const verificationKeys = ["identityHash", "expiration", "signature"] as const;

function collectGiven({ verification, args = {} }: EncodeCallOptions): Map<string, Given> {
  const given = new Map<string, Given>();
  for (const [name, value] of Object.entries(args)) given.set(name, { value, path: `args.${name}` });
  if (verification === undefined) return given;
  for (const key of verificationKeys) {
    const path = `verification.${key}`;
    if (given.has(key)) throw invalidArgument(`args.${key}`, "left out: the verification has it");
    given.set(key, { value: verification[key], path });
  }
  return given;
}

function chooseFunction(
  { abi, functionName, verification }: EncodeCallOptions,
  given: ReadonlyMap<string, Given>,
): PreparedFunction {
  const all = typeof abi === "string" ? [parseFunction(abi)] : listFunctions(abi);
  const named = all
    .filter(({ name }) => name === (functionName ?? name))
    .map((each) => (verification ? placeVerification(each, given) : { ...each, given }));
  const fitting = named.filter(
    ({ inputs, given: own }) => inputs.length === own.size && inputs.every(({ name }) => own.has(name ?? "")),
  );
  const [chosen, another] = fitting.length > 0 ? fitting : named;
  if (chosen === undefined)
    throw invalidArgument("abi", `one with the function ${functionName ?? "to call"}`);
  if (another === undefined) return chosen;
  const names = [...new Set([chosen.name, another.name])].join(" and ");
  throw invalidArgument("functionName", `that of the one function to call; there are ${names}`, functionName);
}

function listFunctions(abi: unknown): AbiFunction[] {
  if (!Array.isArray(abi)) throw invalidArgument("abi", "a JSON ABI or a function's signature", abi);
  return abi.flatMap(({ type, name, inputs = [] }: AbiItem) =>
    type === "function" && name !== undefined ? [{ name, inputs }] : [],
  );
}

/** Finds where a function takes the verification: as parameters, or as members of its only such struct. */
function placeVerification(
  { name, inputs: declared }: AbiFunction,
  given: ReadonlyMap<string, Given>,
): PreparedFunction {
  const inputs = nameVerification(declared);
  const [struct, another] = inputs.filter(({ components = [] }) => isComplete(nameVerification(components)));
  if (isComplete(inputs) || struct?.type !== "tuple" || another !== undefined) return { name, inputs, given };
  const parameter = {
    type: struct.type,
    name: struct.name || "verification",
    components: nameVerification(struct.components ?? []),
  };
  const placed = new Map(given);
  const members: Record<string, unknown> = { ...Object(given.get(parameter.name)?.value) };
  for (const key of verificationKeys) {
    members[key] = given.get(key)?.value;
    placed.delete(key);
  }
  const path = given.get(parameter.name)?.path ?? "verification";
  placed.set(parameter.name, { value: members, path });
  return { name, inputs: inputs.map((input) => (input === struct ? parameter : input)), given: placed };
}

const isComplete = (inputs: readonly AbiParameter[]) =>
  verificationKeys.every((key) => inputs.some(({ name }) => name === key));

/** Removes the underscores around the names of a verification's parameters. */
function nameVerification(inputs: readonly AbiParameter[]): AbiParameter[] {
  const bare = inputs.map(({ type, name }) => (name ? name : type)).join() === "bytes32,uint40,bytes";
  return inputs.map((input, i) => {
    const plain = input.name?.replace(/^_+|_+$/g, "");
    const key = bare ? verificationKeys[i] : verificationKeys.find((known) => known === plain);
    return key ? { ...input, name: key } : input;
  });
}
