import { setImmediate as nextTurn } from "node:timers/promises";
import { checksumAddress, isAddress } from "@hardhat-identity/protocol/address";
import type { Hex } from "@hardhat-identity/protocol/hex";
import type { ProtocolHashes } from "@hardhat-identity/protocol/protocolHashes";
import type { VerificationDomain } from "@hardhat-identity/protocol/verification";
import type { Curve } from "@hardhat-identity/signer/internal/curve/curve";
import type { Claim } from "./findEntries.ts";
import { type Share, tellMs } from "./share.ts";

/** A transaction, as far as it may hold the verification of a claim. */
export interface ClaimTransaction {
  readonly from: string;
  readonly to: string;
  /** Hex digits without `0x`, lower case. */
  readonly digits: string;
  /** Whether it was searched: the first slice of time costs nothing. */
  isSearched: boolean;
}

/** Signers recovered for a claim: its sender chooses how much its call data resembles. */
const maxRecoveries = 10_000;

/** Milliseconds after which the event loop turns, because metrics are asked for, and the share is asked for so many more. */
const sliceMs = 10;

/**
 * Finds who signed the verification of a claim, in the call data of its transaction: first where the ABI puts the arguments
 * of an entry point, then anywhere, however they were packed. That is a proof, whatever the consumer does: the signer's
 * key signed this identity for this consumer.
 *
 * @param by.signers The signers to whom a claim may be attributed.
 * @param by.share The share of the watch's time for the search.
 * @returns `undefined` if the call data does not tell within the share, such as when a contract had the signature before.
 */
export async function attribute(
  claim: Claim,
  transaction: ClaimTransaction,
  by: {
    readonly domain: VerificationDomain;
    readonly policyHash: Hex;
    readonly signers: ReadonlySet<string>;
    readonly curve: Curve;
    readonly hashes: ProtocolHashes;
    readonly share: Share;
  },
): Promise<string | undefined> {
  const { domain, policyHash, signers, curve, hashes, share } = by;
  const identityHash = claim.identityHash as Hex;
  let recoveries = 0;
  let turnedAt = transaction.isSearched ? Number.NEGATIVE_INFINITY : performance.now();
  transaction.isSearched = true;
  for (const { user, expiration, signature } of guess(claim, transaction)) {
    if (++recoveries > maxRecoveries) return undefined;
    if (performance.now() - turnedAt > sliceMs) {
      if (!share.take(sliceMs, tellMs)) return undefined;
      await nextTurn();
      turnedAt = performance.now();
    }
    const digest = hashes.hashVerification(domain, { user, identityHash, policyHash, expiration });
    const recovered = curve.recover(digest, signature);
    const signer = recovered && checksumAddress(recovered);
    if (signer && signers.has(signer)) return signer;
  }
  return undefined;
}

interface Guess {
  readonly user: string;
  readonly expiration: number;
  readonly signature: Hex;
}

function* guess({ identityHash, time }: Claim, { from, to, digits }: ClaimTransaction): Generator<Guess> {
  // The caller is mostly who sends the transaction or, in a batch, the account that it calls.
  const callers = [from, to].filter(isAddress);
  for (const start of findArguments(digits, identityHash.slice(2))) {
    const words = Array.from({ length: maxArguments }, (_, i) =>
      digits.slice(start + 64 * i, start + 64 * i + 64),
    );
    const signatures = words.flatMap((offset) => readSignature(digits, start, offset));
    if (signatures.length === 0) continue;
    const expirations = words.flatMap((word) => readExpiration(word, time));
    const users = new Set([
      ...callers,
      ...words.flatMap(readAddress),
      ...findAddresses(digits.slice(Math.max(0, start - nearby), start)).reverse(),
    ]);
    yield* combine(users, new Set(signatures), new Set(expirations));
  }
  const signatures = findSignatures(digits);
  if (signatures.length === 0) return;
  const expirations = findWords(digits, 54).flatMap((word) => readExpiration(word.padStart(64, "0"), time));
  yield* combine(new Set([...callers, ...findAddresses(digits)]), signatures, new Set(expirations));
}

function* combine(
  users: Iterable<string>,
  signatures: Iterable<Hex>,
  expirations: Iterable<number>,
): Generator<Guess> {
  for (const user of users) {
    for (const signature of signatures) {
      for (const expiration of expirations) yield { user, expiration, signature };
    }
  }
}

/** The most arguments of an entry point; and of places in which the arguments may begin. */
const [maxArguments, maxPlaces] = [12, 64];

/** Hex digits before the arguments of a call in which a batch names the account that makes it. */
const nearby = 2_048;

/** Where the arguments of an entry point may begin: after the first selector, and before each place of the identity's hash. */
function* findArguments(digits: string, identityHash: string): Generator<number> {
  yield 8;
  let places = 0;
  for (let at = digits.indexOf(identityHash); at >= 0; at = digits.indexOf(identityHash, at + 2)) {
    if (at % 2 === 1) continue;
    if (++places > maxPlaces) return;
    for (let before = 0; before < 6; before++) {
      const start = at - 64 * before;
      if (start > 8) yield start;
    }
  }
}

/** The 65 bytes to which an offset from the first argument points. */
function readSignature(digits: string, start: number, offset: string): Hex[] {
  const at = start + 2 * Number(`0x${offset || "0"}`);
  if (!(at < digits.length) || BigInt(`0x${digits.slice(at, at + 64) || "0"}`) !== 65n) return [];
  const signature = digits.slice(at + 64, at + 194);
  return signature.length === 130 ? [`0x${signature}`] : [];
}

/** A word that can be an expiration that had not passed. */
function readExpiration(word: string, time: number): number[] {
  const isTime = word.length === 64 && word.startsWith("0".repeat(54));
  const seconds = isTime ? Number.parseInt(word, 16) : 0;
  return seconds >= time && seconds > 0 ? [seconds] : [];
}

/** A word that can be an address: not the zeros around a small number. */
function readAddress(word: string): string[] {
  const isPadded = word.length === 64 && word.startsWith("0".repeat(24));
  const bytes = isPadded ? (word.slice(24).match(/../g) ?? []).filter((byte) => byte !== "00") : [];
  return bytes.length >= 10 ? [`0x${word.slice(24)}`] : [];
}

/** 65 bytes anywhere that can be a signature: r, s, v of 27 or 28. */
function findSignatures(digits: string): Hex[] {
  const found = new Set<Hex>();
  for (const v of ["1b", "1c"]) {
    for (let at = digits.indexOf(v, 128); at >= 0; at = digits.indexOf(v, at + 1)) {
      const signature = digits.slice(at - 128, at + 2);
      if (at % 2 === 0 && !signature.startsWith("0".repeat(16))) found.add(`0x${signature}`);
      if (found.size > maxRecoveries) return [...found];
    }
  }
  return [...found];
}

const findAddresses = (digits: string): string[] =>
  findWords(digits, 24).flatMap((word) => readAddress(word.padStart(64, "0")));

/** The ends of all words, wherever they begin, whose beginning is so many zeros. */
function findWords(digits: string, zeros: number): string[] {
  const words = new Set<string>();
  const blank = "0".repeat(zeros);
  for (let at = digits.indexOf(blank); at >= 0; at = digits.indexOf(blank, at + 1)) {
    const word = digits.slice(at + zeros, at + 64);
    if (at % 2 === 0 && word.length === 64 - zeros && /[1-9a-f]/.test(word)) words.add(word);
    if (words.size > maxRecoveries) break;
  }
  return [...words];
}
