import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { checksumAddress } from "./address.ts";
import type { Hex } from "./hex.ts";
import { keccak256 } from "./keccak.ts";
import { readParity } from "./signature.ts";

// secp256k1 (SEC 2, section 2.4.1): the field, the order of the group, and its generator.
const p = 2n ** 256n - 2n ** 32n - 977n;
const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const generator: Point = [
  0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
];

/** A point in affine coordinates; `undefined` is the point at infinity. */
type Point = readonly [x: bigint, y: bigint] | undefined;

/** The hash that `personal_sign` signs (ERC-191, version 0x45). */
export function hashMessage(message: string): Uint8Array {
  const bytes = utf8ToBytes(message);
  return keccak256(concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${bytes.length}`), bytes));
}

/**
 * Recovers the account that signed (SEC 1, section 4.1.6). All of its input is public, so its time need not be constant.
 *
 * @param hash 32 bytes.
 * @returns The checksummed address; `undefined` if the signature is not a canonical one of a key.
 */
export function recoverAddress(hash: Uint8Array, signature: string): Hex | undefined {
  const parity = readParity(signature);
  if (parity === undefined) return undefined;
  const r = BigInt(signature.slice(0, 66));
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  // An r above the order would have another form; no signature has been seen with one.
  if (r === 0n || r >= n || s === 0n) return undefined;
  const square = mod(r ** 3n + 7n, p);
  const root = power(square, (p + 1n) / 4n, p);
  if (mod(root * root, p) !== square) return undefined;
  const point: Point = [r, Number(root & 1n) === parity ? root : p - root];
  const inverse = power(r, n - 2n, n);
  const z = BigInt(`0x${bytesToHex(hash)}`);
  const key = add(multiply(generator, mod(-z * inverse, n)), multiply(point, mod(s * inverse, n)));
  if (key === undefined) return undefined;
  const bytes = hexToBytes(key.map((coordinate) => coordinate.toString(16).padStart(64, "0")).join(""));
  return checksumAddress(`0x${bytesToHex(keccak256(bytes)).slice(24)}`) as Hex;
}

const mod = (value: bigint, modulus: bigint) => ((value % modulus) + modulus) % modulus;

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let b = base, e = exponent; e > 0n; e >>= 1n, b = (b * b) % modulus) {
    if (e & 1n) result = (result * b) % modulus;
  }
  return result;
}

function add(a: Point, b: Point): Point {
  if (a === undefined) return b;
  if (b === undefined) return a;
  const [x1, y1] = a;
  const [x2, y2] = b;
  if (x1 === x2 && y1 !== y2) return undefined;
  const slope = x1 === x2 ? 3n * x1 * x1 * invert(2n * y1) : (y2 - y1) * invert(x2 - x1);
  const x = mod(slope * slope - x1 - x2, p);
  return [x, mod(slope * (x1 - x) - y1, p)];
}

function multiply(point: Point, factor: bigint): Point {
  let result: Point;
  for (let step = point, rest = factor; rest > 0n; rest >>= 1n, step = add(step, step)) {
    if (rest & 1n) result = add(result, step);
  }
  return result;
}

/** The inverse in the field, by Euclid's extended algorithm. */
function invert(value: bigint): bigint {
  let [a, b, x, y] = [mod(value, p), p, 1n, 0n];
  while (a > 1n) {
    const quotient = b / a;
    [a, b, x, y] = [b % a, a, y - quotient * x, x];
  }
  return mod(x, p);
}
