import { readWallClock } from "../../../chain/clock.ts";
import type { OnchainPolicy } from "../../../chain/policy.ts";
import { type HashPolicy, policyHasher } from "../../../protocol/policyHash.ts";
import type { Pin, PinStore } from "../credentials/pins.ts";
import { BoundedMap } from "../limits/boundedMap.ts";
import { ServiceError } from "./serviceError.ts";

/** Milliseconds for which a pin is believed without a look into the store: a reset counts within that time. */
const believedFor = 1_000;

/** How many pins are kept in memory. */
const keptPins = 1_000;

/** How often a cutoff may rise in so many seconds: each rise tells something of when an account was proven. */
export const cutoffRises = { atMost: 4, within: 86_400 } as const;

/**
 * Holds contracts to the policy that they were first answered for, and to a cutoff that only rises. One that changed
 * its policy from request to request would read a trait's value out of one signed message.
 *
 * @param input.hashPolicy One that may have hashed the policy already.
 * @param input.localPrivileges Where they are granted, no contract is held to anything.
 * @returns What throws ServiceError `invalid_policy` when a contract's policy is not the pinned one.
 */
export function createPolicyPins(input: {
  store: PinStore;
  chainId: number;
  hashPolicy?: HashPolicy;
  localPrivileges: () => Promise<boolean>;
}): (consumer: string, onchain: OnchainPolicy, requestId?: string) => Promise<void> {
  const { store, chainId, localPrivileges } = input;
  const hashPolicy = input.hashPolicy ?? policyHasher(chainId);
  const known = new BoundedMap<string, { pin: Pin; since: number }>(keptPins);

  function remember(pin: Pin): Pin {
    known.set(pin.consumer, { pin, since: performance.now() });
    return pin;
  }

  function recall(consumer: string): Pin | undefined {
    const found = known.get(consumer);
    return found && performance.now() - found.since < believedFor ? found.pin : undefined;
  }

  return async (consumer, { encoded, cutoffBlock }, requestId) => {
    if (await localPrivileges()) return;
    const asked = { chainId, consumer, policyHash: hashPolicy(consumer, encoded), cutoffBlock };
    const isPinned = (pin: Pin) => pin.policyHash === asked.policyHash && pin.cutoffBlock === cutoffBlock;
    const recalled = recall(consumer);
    if (recalled !== undefined && isPinned(recalled)) return;
    for (;;) {
      const pin = remember(await store.pin(asked, requestId));
      if (isPinned(pin)) return;
      refuseChange(pin, asked);
      const raised = raise(pin, cutoffBlock);
      if (await store.raiseCutoff(pin, raised, requestId)) return void remember({ ...pin, ...raised });
      // Another request raised it at the same time, or the operator reset the pin.
    }
  };
}

function refuseChange(pin: Pin, asked: Pick<Pin, "policyHash" | "cutoffBlock">): void {
  if (pin.policyHash !== asked.policyHash) {
    throw new ServiceError(
      "invalid_policy",
      "The contract's policy is not the one that it was first answered for. A policy must not change; the service's operator can reset what the contract is held to.",
    );
  }
  if (asked.cutoffBlock < pin.cutoffBlock) {
    throw new ServiceError(
      "invalid_policy",
      `The contract's cutoff block is ${asked.cutoffBlock}, after it was ${pin.cutoffBlock}. A cutoff may only rise; the service's operator can reset what the contract is held to.`,
    );
  }
}

function raise(pin: Pin, cutoffBlock: bigint): Pick<Pin, "cutoffBlock" | "cutoffRises" | "risesSince"> {
  const now = readWallClock();
  const isOver = now - pin.risesSince >= cutoffRises.within;
  if (isOver) return { cutoffBlock, cutoffRises: 1, risesSince: now };
  if (pin.cutoffRises >= cutoffRises.atMost) {
    throw new ServiceError(
      "invalid_policy",
      `The contract's cutoff block rose more than ${cutoffRises.atMost} times in ${cutoffRises.within / 3600} hours.`,
    );
  }
  return { cutoffBlock, cutoffRises: pin.cutoffRises + 1, risesSince: pin.risesSince };
}
