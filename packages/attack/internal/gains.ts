// The gains of a claim: what it gives to a person, and whether another claim gives the same.
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { AbiCoder, id, toBeHex } from "ethers";
import {
  type Amounts,
  type Effect,
  gainsOfOne,
  isGrowth,
  lossOf,
  overlap,
  shared,
  slotsIn,
  valuesIn,
} from "./effect.ts";
import type { Done, Outcome } from "./stage.ts";

/** The effects that the claims of two people have in common; `undefined` if there are none at all. */
export function gainsOf(one: Done, twin: Outcome, consumer: string): Effect | undefined {
  const paid = new Set(tokensPaid(one).filter((token) => token !== consumer));
  const isWorth = (mark: string) => !/^ether .*\+$/.test(mark) && !paid.has(mark.split(" ")[1] ?? "");
  const others = "done" in twin ? twin.done.effect : one.effect;
  return one.effect.size === 0 ? undefined : shared(new Set([...one.effect].filter(isWorth)), others);
}

/** The price that the sender of a transaction pays and does not get back: wei of `ether`, and units or numbers of tokens. */
export const pricesOf = (done: Done): Map<string, bigint> =>
  new Map([...spentIn(done)].filter(([, amount]) => amount > 0n));

/** The amounts that the sender of a transaction gets, beyond what they pay. */
export const incomesOf = (done: Done): Map<string, bigint> =>
  new Map([...spentIn(done)].flatMap(([what, amount]) => (amount < 0n ? [[what, -amount] as const] : [])));

function spentIn({ from, amounts, logs }: Done): Map<string, bigint> {
  const prices = new Map<string, bigint>();
  const add = (what: string, amount: bigint) => prices.set(what, (prices.get(what) ?? 0n) + amount);
  for (const [mark, amount] of amounts) {
    const [kind, account, sign] = mark.split(" ");
    if (kind === "ether" && account !== from) add("ether", sign === "+" ? amount : -amount);
  }
  for (const { address, topics, data } of logs) {
    const [event, ...accounts] = topics;
    if (event !== transfer || accounts.length < 2) continue;
    const amount = accounts.length > 2 ? 1n : BigInt(data);
    const [payer, receiver] = accounts.map((word) => checksumAddress(`0x${word.slice(26)}`));
    if (payer === from) add(checksumAddress(address), amount);
    if (receiver === from) add(checksumAddress(address), -amount);
  }
  return prices;
}

/** Ether that the sender of a transaction pays, in wei; `undefined` if it reverted. */
export const etherOf = (outcome: Outcome): bigint | undefined =>
  "done" in outcome ? (pricesOf(outcome.done).get("ether") ?? 0n) : undefined;

/** Whether a claim pays an account what the usual claim costs. */
export const paysTo = (account: string, usual: Done, claim: Outcome): boolean =>
  "done" in claim &&
  [...pricesOf(usual)].some(([what, price]) =>
    what === "ether"
      ? claim.done.amounts.get(`ether ${account} +`) === price
      : claim.done.effect.has(`names ${what} ${transfer} ${account}`),
  );

/** The tokens that the sender of a transaction pays with. */
export const tokensPaid = (done: Done): string[] =>
  [...pricesOf(done).keys()].filter((what) => what !== "ether");

/** Whether the sender of a transaction pays more of something than in each of the others. */
export function isDearer(done: Done, others: readonly Done[]): boolean {
  const usual = others.map(pricesOf);
  return [...pricesOf(done)].some(([what, amount]) =>
    usual.every((prices) => amount > (prices.get(what) ?? 0n)),
  );
}

/** Whether a claim had the usual gains; for a claim that gives everybody something else, any. */
export function isAdmitted(outcome: Outcome, gains: Effect): boolean {
  if (!("done" in outcome)) return false;
  const { effect } = outcome.done;
  if (gains.size === 0) return effect.size > 0;
  // The same vote once more is told in an event, and changes nothing.
  const changesNothing = valuesIn(gains).size > 0 && valuesIn(effect).size === 0;
  return !changesNothing && overlap(gains, effect) >= 0.5;
}

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
    // The operator comes first in an event of ERC-1155.
    const isOfMany = event === transferSingle || event === transferBatch;
    if (event !== transfer && !isOfMany) continue;
    const to = accounts[isOfMany ? 1 : 0];
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

/** The places in storage that a claim has changed for its person alone, whatever their wallet. */
export function placesOfOne({ done, gains, ofAnother }: Given): Set<string> {
  const own = [...slotsIn(done.effect)].filter((mark) => !gains.has(mark) && !ofAnother.has(mark));
  return new Set(own.map((mark) => mark.slice("slot ".length, -" +".length)));
}

/** Whether a word may hold an address alone. */
const isAccount = (word: bigint): boolean => word > 2n ** 128n && word < 2n ** 160n;

/**
 * Whether a later claim takes back all that the first one has given: a person moves to another wallet, changes a vote, or
 * leaves. Then there is as much as if they had made the later one only.
 *
 * @param usual A person's first claim instead of the later one.
 */
export function isTakenBack(claimed: Given, later: Outcome, usual: Done): boolean {
  const { done, gains, ofAnother, identityHash, consumer } = claimed;
  if (!("done" in later)) return false;
  // A person who leaves with more than they brought has kept something.
  const brought = pricesOf(done);
  const isMore = ([what, amount]: [string, bigint]) =>
    what !== consumer && amount > (brought.get(what) ?? 0n);
  if ([...payoutsOf(later.done, consumer)].some(isMore)) return false;
  const { amounts, effect } = later.done;
  const own = gainsOfOne(gains, ofAnother);
  const given = [...gains].filter(isGrowth);
  const growth = (all: Amounts, mark: string) => (all.get(mark) ?? 0n) - (all.get(lossOf(mark)) ?? 0n);
  const back = given.filter((mark) => {
    const now = (done.amounts.get(mark) ?? 0n) + growth(amounts, mark);
    if (now === 0n || now === growth(usual.amounts, mark)) return true;
    // Another wallet in place of the first one, or the same term anew.
    const isMoved = growth(amounts, mark) !== 0n && isAccount(now) && isAccount(done.amounts.get(mark) ?? 0n);
    const isTime = now > 2n ** 30n && now < 2n ** 33n;
    return (
      isMoved || (isTime && [...usual.amounts.values()].some((time) => time < now + 9n && now < time + 9n))
    );
  });
  // A number of people stays as it is where one person moves.
  const isKept = (mark: string) =>
    !back.includes(mark) &&
    (own.has(mark) || effect.has(mark)) &&
    done.amounts.get(mark) !== BigInt(identityHash);
  return back.some((mark) => effect.has(mark) || effect.has(lossOf(mark))) && !given.some(isKept);
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

/** Whether a later transaction pays back what a claim has paid in, and with it frees this amount alone: a quota of a person. */
export function isQuotaFreed({ done, consumer }: Given, later: Done): boolean {
  const [prices, payouts] = [pricesOf(done), payoutsOf(later, consumer)];
  if ([...prices].some(([what, price]) => payouts.get(what) !== price)) return false;
  const paid = new Set(prices.values());
  const quotas = [...done.amounts].filter(([mark, amount]) => isGrowth(mark) && paid.has(amount));
  const isFlag = ([mark, amount]: [string, bigint]) => /^slot .*-$/.test(mark) && amount === 1n;
  return (
    quotas.length > 0 &&
    quotas.every(([mark, amount]) => later.amounts.get(lossOf(mark)) === amount) &&
    ![...later.amounts].some(isFlag)
  );
}

/** Whether the sender of a later transaction pays back all that a claim has paid out, as at the end of a loan. */
export function isPaidBack({ done, consumer }: Given, later: Done): boolean {
  const lent = [...payoutsOf(done, consumer)].filter(([, amount]) => amount > 0n);
  const prices = pricesOf(later);
  return lent.length > 0 && lent.every(([what, amount]) => (prices.get(what) ?? 0n) >= amount);
}

/** Whether a later transaction undoes all that one has changed: in storage, and in the ether that the contract has. */
export function isUndone({ done, consumer }: Pick<Given, "done" | "consumer">, later: Done): boolean {
  const undone = (mark: string) => (mark.endsWith("+") ? lossOf(mark) : mark.replace(/-$/, "+"));
  const values = ({ amounts }: Done) =>
    [...amounts].filter(([mark]) => mark.startsWith("slot ") || mark.startsWith(`ether ${consumer} `));
  const [before, after] = [values(done), values(later)];
  return (
    before.length === after.length &&
    before.every(([mark, amount]) => later.amounts.get(undone(mark)) === amount)
  );
}

/** The slots in which a transaction wrote an account, as the owner of a name, each with the whole word. */
export const wordsOf = ({ amounts }: Done, account: string): (readonly [mark: string, word: bigint])[] =>
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
  // A part of the first one is no other thing.
  const isPart = [...claimed.effect].some((mark) => isGrowth(mark) && later.effect.has(lossOf(mark)));
  return isTold && !isPart && wordsOf(later, account).some(isNew) && !isRenamed(claimed, later, account);
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
