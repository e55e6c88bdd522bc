// The gains of a claim: what it gives to a person, and whether another claim gives the same.
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { id, zeroPadValue } from "ethers";
import { type Effect, overlap, shared } from "./effect.ts";
import type { Done, Outcome } from "./stage.ts";

/** The effects that the claims of two people have in common; `undefined` if there are none at all. */
export function gainsOf(one: Done, twin: Outcome, consumer: string): Effect | undefined {
  const paid = tokensPaid(one, consumer);
  const isWorth = (mark: string) => !/^ether .*\+$/.test(mark) && !paid.has(mark.split(" ")[1] ?? "");
  const others = "done" in twin ? twin.done.effect : one.effect;
  return one.effect.size === 0 ? undefined : shared(new Set([...one.effect].filter(isWorth)), others);
}

/** The tokens with which a claim pays the consumer: they are a price, no gain. */
function tokensPaid({ logs }: Done, consumer: string): Set<string> {
  const to = zeroPadValue(consumer, 32).toLowerCase();
  const payments = logs.filter(
    ({ address, topics: [event, , receiver] }) =>
      event === transfer && receiver?.toLowerCase() === to && checksumAddress(address) !== consumer,
  );
  return new Set(payments.map(({ address }) => checksumAddress(address)));
}

/** Whether a claim had the usual gains; for a claim that gives everybody something else, any. */
export const isAdmitted = (outcome: Outcome, gains: Effect): boolean =>
  "done" in outcome &&
  (gains.size === 0 ? outcome.done.effect.size > 0 : overlap(gains, outcome.done.effect) >= 0.5);

/** A transaction's effects; empty if it reverted. */
export const effectOf = (outcome: Outcome): Effect => ("done" in outcome ? outcome.done.effect : new Set());

/** The rounds in which a transaction counted an identity, by the event of `VerifyOnce`. */
export const roundsOf = (outcome: Outcome): string => ("done" in outcome ? outcome.done.rounds.join() : "");

const transfer = id("Transfer(address,address,uint256)");
