import { setImmediate as nextTurn } from "node:timers/promises";
import { checksumAddress, isAddress } from "@hardhat-identity/protocol/address";
import type { Hex } from "@hardhat-identity/protocol/hex";
import type { ProtocolHashes } from "@hardhat-identity/protocol/protocolHashes";
import type { VerificationDomain } from "@hardhat-identity/protocol/verification";
import type { Curve } from "@hardhat-identity/signer/keys";
import { type Share, tellMs } from "../reading/shares.ts";
import type { Claim } from "./findWithoutEntry.ts";

/** A transaction, as far as it may hold the verification of a claim. */
export interface ClaimTransaction {
  readonly from: string;
  readonly to: string;
  /** Hex digits without `0x`, lower case. */
  readonly digits: string;
}

/** Signers recovered for a claim: its sender chooses how much its call data resembles. */
const maxRecoveries = 10_000;

/** Milliseconds after which the event loop turns, because metrics are asked for. */
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
  const identityHash = (claim.topics[2] ?? "") as Hex;
  // Others' claims may have used it up.
  if (!share.take(0, tellMs)) return undefined;
  await nextTurn();
  let recoveries = 0;
  let since = performance.now();
  const spent = () => performance.now() - since;
  try {
    for (const each of guess(claim, transaction)) {
      if (spent() > sliceMs) {
        if (!share.take(spent(), tellMs)) return undefined;
        await nextTurn();
        since = performance.now();
      }
      if (each === undefined) continue;
      if (recoveries++ === maxRecoveries) return undefined;
      const { user, expiration, signature } = each;
      const digest = hashes.hashVerification(domain, { user, identityHash, policyHash, expiration });
      const recovered = curve.recover(digest, signature);
      const signer = recovered && checksumAddress(recovered);
      if (signer && signers.has(signer)) return signer;
    }
    return undefined;
  } finally {
    // It leaves what telling the claim takes.
    share.spend(spent(), tellMs);
  }
}

interface Guess {
  readonly user: string;
  readonly expiration: number;
  readonly signature: Hex;
}

/** The most arguments of an entry point. */
const maxArguments = 12;

/** The most places in which the arguments may begin. */
const maxPlaces = 64;

/** Hex digits before the arguments of a call in which a batch names the account that makes it. */
const nearby = 2_048;

/** Words by what they can be: an address, which is not a small number; a uint40; an offset. And r, s, and v of 27 or 28. */
const [anAddress, aTime, anOffset, aSignature] = [
  /0{24}(?!0{20})([\da-f]{40})/y,
  /0{54}(?!0{10})([\da-f]{10})/y,
  /0{56}([\da-f]{8})/y,
  /1[bc](?<=((?!0{16})[\da-f]{128}1[bc]))/y,
];

/**
 * Combines what may be the parts of a verification, with the expirations that had not passed. Yields `undefined` after what
 * may take a while.
 */
function* guess({ topics, time }: Claim, transaction: ClaimTransaction): Generator<Guess | undefined> {
  const { from, to, digits } = transaction;
  function* combine(users: readonly string[], signatures: readonly string[], times: readonly string[]) {
    const expirations = times.map((each) => Number.parseInt(each, 16)).filter((each) => each >= time);
    if (expirations.length === 0) return;
    for (const user of new Set(users)) {
      for (const signature of signatures) {
        for (const expiration of expirations)
          yield { user: `0x${user}`, expiration, signature: `0x${signature}` as Hex };
      }
    }
  }

  // The caller is mostly who sends the transaction or, in a batch, the account that it calls.
  const callers = [from, to].filter(isAddress).map((address) => address.slice(2).toLowerCase());
  for (const start of findArguments(digits, String(topics[2]).slice(2))) {
    const words = digits.slice(start, start + 64 * maxArguments);
    const offsets = find(words, anOffset, 64).map((offset) => 2 * Number.parseInt(offset, 16));
    const signatures = offsets.flatMap((offset) => readSignature(digits, start + offset));
    const before = find(digits.slice(Math.max(0, start - nearby), start), anAddress).reverse();
    const users = callers.concat(find(words, anAddress, 64), before);
    yield* combine(users, signatures, find(words, aTime, 64));
    yield undefined;
  }
  const whole: (readonly string[])[] = [];
  for (const pattern of [anAddress, aSignature, aTime]) {
    whole.push(findInAll(transaction, pattern));
    yield undefined;
  }
  const [addresses = [], signatures = [], times = []] = whole;
  yield* combine(callers.concat(addresses), signatures, times);
}

/** Where the arguments of an entry point may begin: after the first selector, and before each place of the identity's hash. */
function* findArguments(digits: string, identityHash: string): Generator<number> {
  yield 8;
  let places = 0;
  for (let at = digits.indexOf(identityHash); at >= 0; at = digits.indexOf(identityHash, at + 1)) {
    if (at % 2 === 1) continue;
    if (++places > maxPlaces) return;
    for (let start = at; start > 8 && start > at - 64 * 6; start -= 64) yield start;
  }
}

/** The 65 bytes that stand behind their length. */
function readSignature(digits: string, at: number): string[] {
  const signature = digits.slice(at + 64, at + 194);
  const isOne = digits.slice(at, at + 64) === (65).toString(16).padStart(64, "0") && signature.length === 130;
  return isOne ? [signature] : [];
}

/** The matches in all of a transaction's call data, which each of its claims has in common. */
const foundInAll = new WeakMap<ClaimTransaction, Map<RegExp, readonly string[]>>();

function findInAll(transaction: ClaimTransaction, pattern: RegExp): readonly string[] {
  const former = foundInAll.get(transaction) ?? new Map<RegExp, readonly string[]>();
  foundInAll.set(transaction, former);
  const found = former.get(pattern) ?? find(transaction.digits, pattern);
  former.set(pattern, found);
  return found;
}

/** Every match of a pattern at a multiple of so many digits, each once. */
function find(digits: string, pattern: RegExp, every = 2): string[] {
  const found = new Set<string>();
  for (let at = 0; at < digits.length && found.size <= maxRecoveries; at += every) {
    pattern.lastIndex = at;
    const [, what] = pattern.exec(digits) ?? [];
    if (what !== undefined) found.add(what);
  }
  return [...found];
}
