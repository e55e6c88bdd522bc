import { type Method, mapMethods } from "../database/mapMethods.ts";
import type { Metrics } from "../monitoring/metrics.ts";
import type { CredentialStore } from "./store.ts";

/** Wraps a store so that it measures the duration of every call. */
export function measureStore(store: CredentialStore, { storeCalls }: Metrics): CredentialStore {
  return mapMethods(store, (call, operation) =>
    measure(call, {
      done: storeCalls.labels({ operation, outcome: "done" }),
      failed: storeCalls.labels({ operation, outcome: "failed" }),
    }),
  );
}

interface Durations {
  observe(seconds: number): void;
}

function measure<T>(call: Method<T>, { done, failed }: { done: Durations; failed: Durations }): Method<T> {
  return async (...args) => {
    const started = performance.now();
    let outcome = failed;
    try {
      const answer = await call(...args);
      outcome = done;
      return answer;
    } finally {
      outcome.observe((performance.now() - started) / 1000);
    }
  };
}
