import { setTimeout as delay } from "node:timers/promises";
import { type Method, mapMethods } from "./mapMethods.ts";
import { StoreUnavailableError } from "./storeUnavailable.ts";

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
export function persistStore<Store extends object>(store: Store, notTwice: readonly (keyof Store)[]): Store {
  return mapMethods(store, (call, operation) => persist(call, !notTwice.includes(operation)));
}

function persist<T>(call: Method<T>, isIdempotent: boolean): Method<T> {
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
