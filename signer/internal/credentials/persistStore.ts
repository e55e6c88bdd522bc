import { setTimeout as delay } from "node:timers/promises";
import { type Method, mapMethods } from "./mapMethods.ts";
import { StoreUnavailableError } from "./storeUnavailable.ts";

/** How often something is tried that the database has undone: others were at the same rows. */
const triesWhenUndone = 10;

/**
 * The same store, which tries again what failed for a reason that passes: what the database has undone for the sake of
 * somebody else, and, once, what was asked over a connection that broke.
 *
 * @param notTwice What would answer otherwise, or do more, when it is done a second time.
 */
export function persistStore<Store extends object>(store: Store, notTwice: readonly (keyof Store)[]): Store {
  return mapMethods(store, (call, operation) => persist(call, !notTwice.includes(operation)));
}

function persist<T>(call: Method<T>, isIdempotent: boolean): Method<T> {
  async function again(args: never[], error: unknown, tries: number, isReconnected: boolean): Promise<T> {
    const repeatable = error instanceof StoreUnavailableError ? error.repeatable : "never";
    const isLost = repeatable === "when-idempotent";
    if (isLost ? !isIdempotent || isReconnected : repeatable === "never" || tries === triesWhenUndone) {
      throw error;
    }
    // Those who were in each other's way must not be so again.
    if (!isLost) await delay(2 ** tries * Math.random());
    return call(...args).catch((next) => again(args, next, tries + 1, isReconnected || isLost));
  }
  return (...args) => call(...args).catch((error) => again(args, error, 1, false));
}
