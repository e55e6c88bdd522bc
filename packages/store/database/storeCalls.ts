import { setTimeout as delay } from "node:timers/promises";
import { StoreUnavailableError } from "./storeUnavailable.ts";

/** An asynchronous method. */
type Method<T = unknown> = (...args: never[]) => Promise<T>;

/** Returns a copy of an object with each method replaced by the result of `change`. */
function mapMethods<T extends object>(
  object: T,
  change: <Answer>(call: Method<Answer>, name: keyof T & string) => Method<Answer>,
): T {
  const changed = Object.entries(object).map(([name, call]) => [
    name,
    change(call, name as keyof T & string),
  ]);
  return Object.fromEntries(changed) as T;
}

/** The greatest number of attempts when the database rolls a call back because others change the same rows. */
const triesWhenUndone = 10;

/** The greatest number of attempts when connections break: those of a pool break together, but not all at once. */
const triesWhenLost = 3;

/**
 * Wraps a store so that it repeats calls after a temporary failure: a rollback because of a concurrent transaction, or
 * a broken connection.
 *
 * @param notTwice The methods that are not idempotent: a second call would return something else or change more.
 */
export function retryCalls<Store extends object>(store: Store, notTwice: readonly (keyof Store)[]): Store {
  return mapMethods(store, (call, operation) => retry(call, !notTwice.includes(operation)));
}

function retry<T>(call: Method<T>, isIdempotent: boolean): Method<T> {
  function triesAfter(error: unknown): number {
    const repeatable = error instanceof StoreUnavailableError ? error.repeatable : "never";
    if (repeatable === "always") return triesWhenUndone;
    return repeatable === "when-idempotent" && isIdempotent ? triesWhenLost : 1;
  }

  async function again(args: never[], error: unknown, tries: number): Promise<T> {
    if (tries >= triesAfter(error)) throw error;
    // A random delay keeps concurrent calls from colliding again. Meanwhile the pool notices further broken
    // connections.
    await delay(2 ** tries * Math.random());
    return call(...args).catch((next) => again(args, next, tries + 1));
  }
  return (...args) => call(...args).catch((error) => again(args, error, 1));
}

/** Milliseconds between two test writes of the service: without traffic, nothing else would show a failure. */
const writeEveryMs = 5_000;

/**
 * Measures a store's calls, and remembers a failed write.
 *
 * @param input.writes The calls with which requests write.
 * @param input.enterAnything Enters a true statement in the audit trail. A full disk may refuse that and still take
 * smaller writes, so only this entry shows that writes of requests work again.
 * @param input.measure Returns what is called with the duration of each call of an operation, in seconds.
 */
export function measureCalls<Store extends { check(): Promise<void>; checkWriting(): Promise<void> }>(
  unwatched: Store,
  input: {
    writes: readonly (keyof Store)[];
    enterAnything: (store: Store) => Promise<void>;
    measure: (operation: string) => (outcome: "done" | "failed", seconds: number) => void;
  },
) {
  let failed: StoreUnavailableError | undefined;
  let wroteAt = Number.NEGATIVE_INFINITY;

  const store = mapMethods(unwatched, (call, name) => {
    const observe = input.measure(name);
    return async (...args) => {
      const started = performance.now();
      const took = () => (performance.now() - started) / 1000;
      try {
        const answer = await call(...args);
        observe("done", took());
        return answer;
      } catch (error) {
        observe("failed", took());
        if (error instanceof StoreUnavailableError && input.writes.includes(name)) failed = error;
        throw error;
      }
    };
  });

  return {
    store,
    /**
     * Fails while the store cannot be read or takes no writes. A failed write of a request counts until test writes of
     * the service succeed. Without one, the service makes a test write from time to time.
     */
    async check(): Promise<void> {
      await store.check();
      if (failed === undefined && performance.now() - wroteAt < writeEveryMs) return;
      await store.checkWriting();
      if (failed !== undefined) await input.enterAnything(store);
      failed = undefined;
      wroteAt = performance.now();
    },
  };
}
