import { parseAddress } from "../../../protocol/address.ts";
import type { AuditEvent } from "../audit/auditEntry.ts";
import type { AuditTrail } from "../audit/trail.ts";
import type { Pin, PinStore } from "./pins.ts";

/** The methods of a store that change data, and the reads that the audit entries need. */
interface Changes extends Pick<PinStore, "pin" | "raiseCutoff" | "resetPins" | "findPins"> {
  has(wallet: string, provider: string): Promise<boolean>;
  set(credential: never, requestId?: string): Promise<void>;
  delete(wallet: string, provider: string, requestId?: string): Promise<boolean>;
  endSessions(): Promise<void>;
  checkWriting(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Wraps a store so that it enters every change in the audit trail before making it. If the process ends in between, or
 * another one is faster, the trail has an entry without a change. There is never a change without an entry.
 *
 * @param read Validates a credential and returns its wallet and provider.
 */
export function auditStore<Store extends Changes>(
  store: Store,
  trail: AuditTrail,
  read: (credential: Parameters<Store["set"]>[0]) => { wallet: string; provider: string },
): Store & Pick<AuditTrail, "enter"> {
  const { enter } = trail;
  const audited: Changes = {
    ...store,
    async set(credential, requestId) {
      const { wallet, provider } = read(credential);
      const event = (await store.has(wallet, provider)) ? "credential-replaced" : "credential-set";
      await enter({ event, wallet, provider, ...named(requestId) });
      await store.set(credential);
    },
    async delete(wallet, provider, requestId) {
      if (!(await store.has(wallet, provider))) return false;
      const erased = { wallet: parseAddress("The wallet", wallet), provider };
      await enter({ event: "credential-erased", ...erased, ...named(requestId) });
      return await store.delete(wallet, provider);
    },
    async pin(asked, requestId) {
      const found = (await store.findPins(asked.consumer)).find(({ chainId }) => chainId === asked.chainId);
      if (found !== undefined) return found;
      await enter({ ...describePin("pin-made", asked), ...named(requestId) });
      return await store.pin(asked);
    },
    async raiseCutoff(pin, raised, requestId) {
      await enter({ ...describePin("pin-raised", { ...pin, ...raised }), ...named(requestId) });
      return await store.raiseCutoff(pin, raised);
    },
    async resetPins(consumer) {
      const pins = await store.findPins(consumer);
      await enter(...pins.map((pin) => describePin("pin-reset", pin)));
      return await store.resetPins(consumer);
    },
    async endSessions() {
      await enter({ event: "sessions-ended" });
      await store.endSessions();
    },
    async checkWriting() {
      await trail.checkWriting();
      await store.checkWriting();
    },
    async close() {
      await trail.close();
      await store.close();
    },
  };
  return { ...store, ...audited, enter };
}

/** The id of the HTTP request that makes a change, if there is one. */
const named = (requestId: string | undefined) => (requestId === undefined ? {} : { requestId });

function describePin(
  event: "pin-made" | "pin-raised" | "pin-reset",
  {
    chainId,
    consumer,
    policyHash,
    cutoffBlock,
  }: Pick<Pin, "chainId" | "consumer" | "policyHash" | "cutoffBlock">,
): AuditEvent {
  return { event, chainId, consumer, policyHash, cutoffBlock: String(cutoffBlock) };
}
