import { readWallClock } from "../../chain/clock.ts";
import type { OnchainPolicy } from "../../chain/policy.ts";
import { policyHash } from "../../protocol/policyHash.ts";
import type { Pin, PinStore } from "./credentials/pins.ts";
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
 * @param input.localPrivileges Where they are granted, no contract is held to anything.
 * @returns What throws ServiceError `invalid_policy` when a contract's policy is not the pinned one.
 */
export function createPolicyPins(input: {
  store: PinStore;
  chainId: number;
  localPrivileges: () => Promise<boolean>;
}): (consumer: string, onchain: OnchainPolicy) => Promise<void> {
  const { store, chainId, localPrivileges } = input;
  const known = new Map<string, { pin: Pin; since: number }>();

  function remember(pin: Pin): Pin {
    known.delete(pin.consumer);
    known.set(pin.consumer, { pin, since: performance.now() });
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size > keptPins) known.delete(oldest);
    return pin;
  }

  function recall(consumer: string): Pin | undefined {
    const found = known.get(consumer);
    return found && performance.now() - found.since < believedFor ? found.pin : undefined;
  }

  return async (consumer, { encoded, cutoffBlock }) => {
    if (await localPrivileges()) return;
    const asked = { chainId, consumer, policyHash: policyHash({ chainId, consumer, encoded }), cutoffBlock };
    const isPinned = (pin: Pin) => pin.policyHash === asked.policyHash && pin.cutoffBlock === cutoffBlock;
    const recalled = recall(consumer);
    if (recalled !== undefined && isPinned(recalled)) return;
    for (;;) {
      const pin = remember(await store.pin(asked));
      if (isPinned(pin)) return;
      refuseChange(pin, asked);
      const raised = raise(pin, cutoffBlock);
      if (await store.raiseCutoff(pin, raised)) return void remember({ ...pin, ...raised });
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
