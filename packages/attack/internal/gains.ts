// The gains of a claim: what it gives to a person, and whether another claim gives the same.
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { AbiCoder, id, toBeHex, zeroPadValue } from "ethers";
import { type Amounts, type Effect, gainsOfOne, isGrowth, lossOf, overlap, shared } from "./effect.ts";
import type { Done, Outcome } from "./stage.ts";

/** The effects that the claims of two people have in common; `undefined` if there are none at all. */
export function gainsOf(one: Done, twin: Outcome, consumer: string): Effect | undefined {
  const paid = tokensPaid(one, consumer);
  const isWorth = (mark: string) => !/^ether .*\+$/.test(mark) && !paid.has(mark.split(" ")[1] ?? "");
  const others = "done" in twin ? twin.done.effect : one.effect;
  return one.effect.size === 0 ? undefined : shared(new Set([...one.effect].filter(isWorth)), others);
}

/** The tokens with which a claim pays the consumer: they are a price, no gain. */
export function tokensPaid({ logs }: Done, consumer: string): Set<string> {
  const to = zeroPadValue(consumer, 32).toLowerCase();
  const payments = logs.filter(
    ({ address, topics: [event, , receiver] }) =>
      event === transfer && receiver?.toLowerCase() === to && checksumAddress(address) !== consumer,
  );
  return new Set(payments.map(({ address }) => checksumAddress(address)));
}

/** Ether that a transaction paid to the consumer, in wei. */
export const paymentOf = ({ amounts }: Done, consumer: string): bigint =>
  amounts.get(`ether ${consumer} +`) ?? 0n;

/** Whether a claim had the usual gains; for a claim that gives everybody something else, any. */
export const isAdmitted = (outcome: Outcome, gains: Effect): boolean =>
  "done" in outcome &&
  (gains.size === 0 ? outcome.done.effect.size > 0 : overlap(gains, outcome.done.effect) >= 0.5);

/** A transaction's effects; empty if it reverted. */
export const effectOf = (outcome: Outcome): Effect => ("done" in outcome ? outcome.done.effect : new Set());

/** The rounds in which a transaction counted an identity, by the event of `VerifyOnce`. */
export const roundsOf = (outcome: Outcome): string => ("done" in outcome ? outcome.done.rounds.join() : "");

const transfer = id("Transfer(address,address,uint256)");
const transferSingle = id("TransferSingle(address,address,address,uint256,uint256)");
const transferBatch = id("TransferBatch(address,address,address,uint256[],uint256[])");

/** Ether that a contract paid, and tokens that others got, by token. */
export function payoutsOf({ amounts, logs }: Done, consumer: string): Map<string, bigint> {
  const all = new Map([["ether", amounts.get(`ether ${consumer} -`) ?? 0n]]);
  for (const { address, topics, data } of logs) {
    const [event, , ...accounts] = topics;
    const isOfMany = event === transferSingle || event === transferBatch;
    const to = event === transfer ? accounts[0] : isOfMany ? accounts[1] : undefined;
    // An ERC-721 token has its number in a topic, and no amount.
    if (to === undefined || data === "0x" || checksumAddress(`0x${to.slice(26)}`) === consumer) continue;
    const token = checksumAddress(address);
    const amount =
      event === transferBatch
        ? sumOf(AbiCoder.defaultAbiCoder().decode(["uint256[]", "uint256[]"], data)[1])
        : BigInt(`0x${data.slice(-64)}`);
    all.set(token, (all.get(token) ?? 0n) + amount);
  }
  return all;
}

const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, each) => sum + each, 0n);

/** The gains of a claim in the contract's storage: the marks of all people with this wallet, and of those with another one. */
export interface Given {
  readonly done: Done;
  readonly gains: Effect;
  readonly ofAnother: Effect;
  /** The identity that the claim has counted: a record of it is no gain. */
  readonly identityHash: string;
  readonly consumer: string;
}

/**
 * Whether a later transaction takes back all that a claim has given: a person moves to another wallet, changes a vote, or
 * leaves.
 */
export function isTakenBack(claimed: Given, later: Outcome): boolean {
  const { done, gains, ofAnother, identityHash, consumer } = claimed;
  if (!("done" in later)) return false;
  // A person who leaves with more than they brought has kept something.
  const brought = tokensPaid(done, consumer);
  const price = paymentOf(done, consumer);
  const isMore = ([what, amount]: [string, bigint]) =>
    what === "ether" ? amount > price : amount > 0n && what !== consumer && !brought.has(what);
  if ([...payoutsOf(later.done, consumer)].some(isMore)) return false;
  const { amounts, effect } = later.done;
  const own = gainsOfOne(gains, ofAnother);
  const given = [...gains].filter(
    (mark) => isGrowth(mark) && done.amounts.get(mark) !== BigInt(identityHash),
  );
  const back = given.filter((mark) => amounts.get(lossOf(mark)) === done.amounts.get(mark));
  // A number of people stays as it is where one person moves.
  const isKept = (mark: string) => !back.includes(mark) && (own.has(mark) || effect.has(mark));
  return back.length > 0 && !given.some(isKept);
}

/** Whether a person who has claimed has twice as much after some later transactions, or the same with two wallets. */
export function isCountedTwice(
  { done, gains, ofAnother, identityHash }: Given,
  later: readonly Outcome[],
): boolean {
  const own = gainsOfOne(gains, ofAnother);
  const sum = (mark: string) =>
    later.reduce((all, outcome) => {
      const amounts: Amounts = "done" in outcome ? outcome.done.amounts : new Map();
      return all + (amounts.get(mark) ?? 0n) - (amounts.get(lossOf(mark)) ?? 0n);
    }, 0n);
  return [...gains].filter(isGrowth).some((mark) => {
    const amount = done.amounts.get(mark) ?? 0n;
    if (amount === BigInt(identityHash) || amount > 2n ** 200n) return false;
    return own.has(mark) ? sum(mark) > -amount : sum(mark) >= amount;
  });
}

/** Whether a later transaction pays back what a claim has paid in, and with it frees amounts alone: a quota of a person. */
export function isQuotaFreed(claimed: Given, later: Done): boolean {
  const { done, consumer } = claimed;
  const price = paymentOf(done, consumer);
  if (price === 0n || later.amounts.get(`ether ${consumer} -`) !== price) return false;
  const isFlag = ([mark, amount]: [string, bigint]) => /^slot .*-$/.test(mark) && amount === 1n;
  return isTakenBack(claimed, { done: later }) && ![...later.amounts].some(isFlag);
}

/** The slots in which a transaction wrote an account, as the owner of a name, each with the whole word. */
const wordsOf = ({ amounts }: Done, account: string): (readonly [mark: string, word: bigint])[] =>
  [...amounts].filter(([mark, word]) => isGrowth(mark) && BigInt.asUintN(160, word) === BigInt(account));

/** Whether a later transaction puts something else where a claim wrote an account. */
export function isRenamed(claimed: Done, { amounts }: Done, account: string): boolean {
  return wordsOf(claimed, account).some(([mark, word]) => {
    const now = word + (amounts.get(mark) ?? 0n) - (amounts.get(lossOf(mark)) ?? 0n);
    return BigInt.asUintN(160, now) !== BigInt(account);
  });
}

/** Whether all that grows in one transaction grows in another one, too, with the same account where it is written. */
export const isAsGiven = (usual: Done, other: Done, account: string): boolean =>
  [...usual.effect].every((mark) => !isGrowth(mark) || other.effect.has(mark)) &&
  wordsOf(usual, account).every(([mark, word]) => other.amounts.get(mark) === word);

/** Whether a later transaction writes an account to one more place, and tells so as the claim did. */
export function isNamedAgain(claimed: Done, later: Done, account: string): boolean {
  const isNew = ([mark]: readonly [string, bigint]) => !claimed.amounts.has(mark);
  const isTold = [...later.effect].some(
    (mark) => mark.startsWith("names ") && mark.endsWith(account) && claimed.effect.has(mark),
  );
  return isTold && wordsOf(later, account).some(isNew) && !isRenamed(claimed, later, account);
}

/** The numbers of the ERC-721 tokens that moved. */
export const idsOf = ({ logs }: Done): bigint[] =>
  logs.flatMap(({ topics: [event, , , number] }) =>
    event === transfer && number !== undefined ? [BigInt(number)] : [],
  );

/** The hashes in a transaction's events, answer and storage. */
export function hashesOf({ amounts, answer, logs }: Done): string[] {
  const told = logs.flatMap(({ topics: [, ...indexed], data }) => [...indexed, ...wordsIn(data)]);
  const written = [...amounts].flatMap(([mark, amount]) =>
    isGrowth(mark) && amount < 2n ** 256n ? [toBeHex(amount, 32)] : [],
  );
  return [...told, ...wordsIn(answer), ...written].filter((word) => BigInt(word) > 2n ** 200n);
}

const wordsIn = (bytes: string) => (bytes.slice(2).match(/.{64}/g) ?? []).map((word) => `0x${word}`);

/** The amounts by which storage grew, but for hashes. */
export const creditsOf = ({ amounts }: Done): bigint[] =>
  [
    ...new Set(
      [...amounts].flatMap(([mark, amount]) =>
        isGrowth(mark) && amount > 2n && amount < 2n ** 200n ? [amount] : [],
      ),
    ),
  ].slice(0, 4);
