import type { CredentialStore } from "../credentials/store.ts";
import { mapMethods } from "../database/mapMethods.ts";
import { StoreUnavailableError } from "../database/storeUnavailable.ts";

/** What requests write. */
const writes: readonly string[] = [
  "enter",
  "set",
  "delete",
  "pin",
  "raiseCutoff",
  "spendNonce",
] satisfies (keyof CredentialStore)[];

/** Milliseconds from one write of the service's own to the next: without traffic, nothing else would tell. */
const writeEvery = 5_000;

export interface StoreWrites {
  /** The same store, which notes what its writes come to. */
  readonly store: CredentialStore;
  /**
   * Fails while the store cannot be read, or takes no writes: by the last write of a request that failed, until writes
   * of the service's own succeed; and by one of those now and then.
   */
  check(): Promise<void>;
}

/**
 * @param enterAnything Enters something true in the audit trail. A disk that is full may refuse that and take smaller
 * things, so a request's write that failed is believed to be mended by this alone.
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
      // Another one may have failed meanwhile.
      if (failed === before) failed = undefined;
      wroteAt = performance.now();
    },
  };
}
