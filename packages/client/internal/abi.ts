import {
  type EncodedValue,
  encodeArray,
  encodeBytes,
  encodeSequence,
  padRight,
  uintWord,
} from "@hardhat-identity/protocol/abiWords";
import { hasValidCasing, isAddress } from "@hardhat-identity/protocol/address";
import { bytesToHex, utf8ToBytes } from "@hardhat-identity/protocol/bytes";
import { isHex } from "@hardhat-identity/protocol/hex";
import { invalidArgument } from "./arguments.ts";

/** A function's parameter in a JSON ABI. */
export interface AbiParameter {
  readonly type: string;
  readonly name?: string | undefined;
  readonly components?: readonly AbiParameter[] | undefined;
}

/** An entry of a JSON ABI; only those of type `function` are used. */
export interface AbiItem {
  readonly type: string;
  readonly name?: string | undefined;
  readonly inputs?: readonly AbiParameter[] | undefined;
}

/** A function that can be called. */
export interface AbiFunction {
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
}

const locations: readonly unknown[] = ["memory", "calldata", "storage", "payable"];

/**
 * Parses a function's Solidity signature, such as
 * `deposit(uint256 amount, bytes32 identityHash, uint40 expiration, bytes signature)`. `function` may
 * precede it, and text after the parameters is ignored. A struct is its members in parentheses.
 */
export function parseFunction(signature: string): AbiFunction {
  const tokens = signature.match(/[\w$]+|\[\d*\]|\S/g) ?? [];
  const problem = () =>
    invalidArgument("abi", "a JSON ABI or a signature such as enroll(bytes32 identityHash)", signature);
  const take = (wanted: RegExp) => {
    const token = tokens.shift();
    if (token === undefined || !wanted.test(token)) throw problem();
    return token;
  };

  const readParameter = (): AbiParameter => {
    if (tokens[0] === "tuple" && tokens[1] === "(") tokens.shift();
    const components = tokens[0] === "(" ? readParameters() : undefined;
    let type = components ? "tuple" : take(/\w/).replace(/^(u?int)$/, "$1256");
    while (tokens[0]?.startsWith("[")) type += take(/]/);
    while (locations.includes(tokens[0])) tokens.shift();
    const name = /^[\w$]/.test(tokens[0] ?? "") ? tokens.shift() : undefined;
    return { type, name, components };
  };
  const readParameters = (): AbiParameter[] => {
    const parameters: AbiParameter[] = [];
    take(/\(/);
    if (tokens[0] === ")") tokens.shift();
    else
      do parameters.push(readParameter());
      while (take(/[,)]/) === ",");
    return parameters;
  };

  if (tokens[0] === "function") tokens.shift();
  return { name: take(/^[a-zA-Z_$]/), inputs: readParameters() };
}

/** Returns a parameter's canonical type, for the selector. */
export function writeType({ type, components }: AbiParameter): string {
  return type.startsWith("tuple") && components
    ? `(${components.map(writeType).join(",")})${type.slice("tuple".length)}`
    : type;
}

/**
 * Encodes one value (Solidity's contract ABI specification, "Formal Specification of the Encoding").
 *
 * @param path The value's name in errors, such as `args.amount`.
 */
export function encodeValue(parameter: AbiParameter, value: unknown, path: string): EncodedValue {
  const { type, components } = parameter;
  const [, itemType, count = ""] = /(.+)\[(\d*)\]$/.exec(type) ?? [];
  if (itemType !== undefined) {
    if (!Array.isArray(value) || (count !== "" && value.length !== Number(count))) {
      throw invalidArgument(path, `an array of ${count ? `${count} ` : ""}${itemType}`, value);
    }
    const item = { type: itemType, components };
    const items = value.map((each, i) => encodeValue(item, each, `${path}[${i}]`));
    return count === "" ? encodeArray(items) : encodeSequence(items);
  }
  if (type === "tuple" && components) {
    const members = components.map((component, i) =>
      encodeValue(component, readMember(value, component, i, path), `${path}.${component.name || i}`),
    );
    return encodeSequence(members);
  }
  if (type === "string" || type === "bytes") return encodeBytesOrText(type, value, path);
  return { dynamic: false, hex: encodeWord(type, value, path) };
}

function readMember(value: unknown, { name }: AbiParameter, index: number, path: string): unknown {
  if (Array.isArray(value)) return value[index];
  if (typeof value === "object" && value !== null && name) return Reflect.get(value, name);
  throw invalidArgument(path, name ? "an object" : "an array", value);
}

function encodeBytesOrText(type: string, value: unknown, path: string): EncodedValue {
  const text = String(value);
  if (type === "string" && (typeof value !== "string" || /\p{Surrogate}/u.test(text)))
    throw invalidArgument(path, "a text", value);
  if (type === "bytes" && !isHex(value)) throw invalidArgument(path, "bytes as hex after 0x");
  return encodeBytes(type === "bytes" ? text.slice(2).toLowerCase() : bytesToHex(utf8ToBytes(text)));
}

function encodeWord(type: string, value: unknown, path: string): string {
  const [, unsigned, digits] = /^(u?)int([1-9]\d*)$/.exec(type) ?? [];
  const bits = Number(digits);
  if (bits % 8 === 0 && bits <= 256) return encodeInteger(bits, unsigned === "", value, path);
  if (type === "address") {
    if (typeof value === "string" && isAddress(value) && hasValidCasing(value)) {
      return value.slice(2).toLowerCase().padStart(64, "0");
    }
    throw invalidArgument(path, "an address, its EIP-55 checksum right where it has one", value);
  }
  if (type === "bool") {
    if (typeof value === "boolean") return uintWord(Number(value));
    throw invalidArgument(path, "true or false", value);
  }
  const bytes = Number(/^bytes([1-9]\d?)$/.exec(type)?.[1]);
  if (bytes <= 32) {
    if (isHex(value, bytes)) return padRight(value.slice(2).toLowerCase());
    throw invalidArgument(path, `${bytes} bytes as hex after 0x`, value);
  }
  throw invalidArgument("abi", "made of Solidity's elementary types, arrays and structs", type);
}

function encodeInteger(bits: number, signed: boolean, value: unknown, path: string): string {
  const integer =
    typeof value === "bigint" || Number.isSafeInteger(value) ? BigInt(value as bigint) : undefined;
  const fits =
    integer !== undefined &&
    (signed ? BigInt.asIntN(bits, integer) : BigInt.asUintN(bits, integer)) === integer;
  if (fits) return uintWord(BigInt.asUintN(256, integer));
  throw invalidArgument(path, `a bigint or safe integer that fits ${signed ? "" : "u"}int${bits}`, value);
}
