import type { AuditEvent } from "../audit/auditEntry.ts";
import type { AuditTrail } from "../audit/trail.ts";
import { type CredentialStore, checkCredential, readWallet } from "./credential.ts";
import type { Pin } from "./pins.ts";

/**
 * Wraps a store so that it enters every change in the audit trail before making it. If the process ends in between, or
 * another one is faster, the trail has an entry without a change. There is never a change without an entry.
 */
export function auditStore(store: Omit<CredentialStore, "enter">, trail: AuditTrail): CredentialStore {
  const { enter } = trail;
  return {
    ...store,
    enter,
    async set(credential, requestId) {
      const { wallet, provider } = checkCredential(credential);
      const event = (await store.has(wallet, provider)) ? "credential-replaced" : "credential-set";
      await enter({ event, wallet, provider, ...named(requestId) });
      await store.set(credential);
    },
    async delete(wallet, provider, requestId) {
      if (!(await store.has(wallet, provider))) return false;
      const erased = { wallet: readWallet(wallet), provider };
      await enter({ event: "credential-erased", ...erased, ...named(requestId) });
      return await store.delete(wallet, provider);
    },
    async pin(asked, requestId) {
      const found = await store.findPin(asked);
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
