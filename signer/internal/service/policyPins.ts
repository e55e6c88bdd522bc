import { BoundedMap } from "@hardhat-identity/protocol/boundedMap";
import { type BlockTime, readWallClock } from "@hardhat-identity/protocol/chain/clock";
import type { OnchainPolicy } from "@hardhat-identity/protocol/chain/policy";
import type { HashPolicy } from "@hardhat-identity/protocol/protocolHashes";
import type { Pin, PinStore } from "@hardhat-identity/store/credentials/pins";
import { ServiceError } from "../errors/serviceError.ts";
import { clockToleranceSeconds } from "./clock.ts";

/** Milliseconds for which a pin in memory is used without reading the store. A reset takes effect within that time. */
const pinTtlMs = 1_000;

/** The greatest number of pins in memory. */
const maxPins = 1_000;

/** A pin in memory. */
interface Known {
  readonly pin: Pin;
  /** The time of its last look-up, by `performance.now()`. */
  readonly since: number;
  /** The time at which this process learned of this cutoff, unix seconds. */
  readonly learned: number;
  /** The latest block in which this process itself has read this cutoff. */
  readonly seenIn: bigint | undefined;
}

/** How often a cutoff may rise in a period of seconds: each rise reveals something about when an account was proven. */
export const cutoffRises = { atMost: 4, within: 86_400 } as const;

/** Whether a reading of a contract may be used, or is from before its cutoff rose, so that the contract is read again. */
type ReadingAge = "current" | "outdated";

/**
 * Holds contracts to the policy of their first answer, and to a cutoff that only rises. Otherwise a contract could
 * change its policy from request to request and find out a trait's value with one signed message.
 *
 * @param input.development Whether contracts may change their policies, as during development.
 * @returns A function that throws ServiceError `invalid_policy` when a contract's policy or cutoff breaks these rules,
 * and otherwise returns the age of the reading. A reading with a lower cutoff than the pinned one may be older than the pin,
 * because nodes lag behind each other. It is refused only if it is certainly later.
 */
export function createPolicyPins(input: {
  store: PinStore;
  chainId: number;
  /** May know the policy's hash already. */
  hashPolicy: HashPolicy;
  development: boolean;
}): (consumer: string, onchain: OnchainPolicy, latest: BlockTime, requestId?: string) => Promise<ReadingAge> {
  const { store, chainId, hashPolicy, development } = input;
  const known = new BoundedMap<string, Known>(maxPins);

  function remember(pin: Pin): Known {
    const before = known.get(pin.consumer);
    const isAsBefore = before?.pin.cutoffBlock === pin.cutoffBlock;
    const { learned, seenIn } = isAsBefore ? before : { learned: readWallClock(), seenIn: undefined };
    const now = { pin, since: performance.now(), learned, seenIn };
    known.set(pin.consumer, now);
    return now;
  }

  /** Records that the contract is as pinned in a block. */
  function see(consumer: string, { number }: BlockTime): void {
    const found = known.get(consumer);
    if (found === undefined || (found.seenIn ?? -1n) >= number) return;
    known.set(consumer, { ...found, seenIn: number });
  }

  function recall(consumer: string): Pin | undefined {
    const found = known.get(consumer);
    return found && performance.now() - found.since < pinTtlMs ? found.pin : undefined;
  }

  return async (consumer, { encoded, cutoffBlock }, latest, requestId) => {
    if (development) return "current";
    const asked = { chainId, consumer, policyHash: hashPolicy(consumer, encoded), cutoffBlock };
    const isPinned = (pin: Pin) => pin.policyHash === asked.policyHash && pin.cutoffBlock === cutoffBlock;
    const recalled = recall(consumer);
    if (recalled !== undefined && isPinned(recalled)) {
      see(consumer, latest);
      return "current";
    }
    for (;;) {
      const found = remember(await store.pin(asked, requestId));
      const { pin } = found;
      if (!isPinned(pin)) {
        if (pin.policyHash !== asked.policyHash) {
          throw refuse(
            "The contract's policy is not the one that it was first answered for. A policy must not change; the service's operator can reset what the contract is held to.",
          );
        }
        if (cutoffBlock < pin.cutoffBlock) {
          if (mayBeOlder(latest, found)) return "outdated";
          throw refuse(
            `The contract's cutoff block is ${cutoffBlock}, after it was ${pin.cutoffBlock}. A cutoff may only rise; the service's operator can reset what the contract is held to.`,
          );
        }
        const raised = raise(pin, cutoffBlock);
        // Otherwise another request raised it at the same time, or the operator reset the pin.
        if (!(await store.raiseCutoff(pin, raised, requestId))) continue;
        remember({ ...pin, ...raised });
      }
      see(consumer, latest);
      return "current";
    }
  };
}

const mayBeOlder = ({ number, timestamp }: BlockTime, { learned, seenIn }: Known): boolean =>
  seenIn === undefined ? timestamp <= learned + clockToleranceSeconds : number <= seenIn;

const refuse = (detail: string) => new ServiceError("invalid_policy", detail);

function raise(pin: Pin, cutoffBlock: bigint): Pick<Pin, "cutoffBlock" | "cutoffRises" | "risesSince"> {
  const now = readWallClock();
  const isOver = now - pin.risesSince >= cutoffRises.within;
  if (isOver) return { cutoffBlock, cutoffRises: 1, risesSince: now };
  if (pin.cutoffRises >= cutoffRises.atMost) {
    throw refuse(
      `The contract's cutoff block rose more than ${cutoffRises.atMost} times in ${cutoffRises.within / 3600} hours.`,
    );
  }
  return { cutoffBlock, cutoffRises: pin.cutoffRises + 1, risesSince: pin.risesSince };
}
