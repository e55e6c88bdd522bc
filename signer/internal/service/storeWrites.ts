import type { CredentialStore } from "../credentials/store.ts";
import { mapMethods } from "../database/mapMethods.ts";
import { StoreUnavailableError } from "../database/storeUnavailable.ts";

/** The calls with which requests write to the store. */
const writes: readonly string[] = [
  "enter",
  "set",
  "delete",
  "pin",
  "raiseCutoff",
  "spendNonce",
] satisfies (keyof CredentialStore)[];

/** Milliseconds between two test writes of the service: without traffic, nothing else would show a failure. */
const writeEvery = 5_000;

export interface StoreWrites {
  /** The same store, which records failed writes. */
  readonly store: CredentialStore;
  /**
   * Fails while the store cannot be read or takes no writes. A failed write of a request counts until test writes of
   * the service succeed. Without one, the service makes a test write from time to time.
   */
  check(): Promise<void>;
}

/**
 * @param enterAnything Enters a true statement in the audit trail. A full disk may refuse that and still take smaller
 * writes, so only this entry shows that writes of requests work again.
 */
export function watchStoreWrites(
  watched: CredentialStore,
  enterAnything: (store: CredentialStore) => Promise<void>,
): StoreWrites {
  let failed: StoreUnavailableError | undefined;
  let wroteAt = Number.NEGATIVE_INFINITY;

  const store = mapMethods(watched, (call, name) => {
    if (!writes.includes(name)) return call;
    return async (...args) => {
      try {
        return await call(...args);
      } catch (error) {
        if (error instanceof StoreUnavailableError) failed = error;
        throw error;
      }
    };
  });

  return {
    store,
    async check() {
      await watched.check();
      const before = failed;
      if (before === undefined && performance.now() - wroteAt < writeEvery) return;
      await watched.checkWriting();
      if (before !== undefined) await enterAnything(watched);
      // Another write may have failed in the meantime.
      if (failed === before) failed = undefined;
      wroteAt = performance.now();
    },
  };
}
