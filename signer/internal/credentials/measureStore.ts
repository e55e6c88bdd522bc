import type { Metrics } from "../metrics.ts";
import type { CredentialStore } from "./store.ts";

/** The same store, with every call of it observed. */
export function measureStore(store: CredentialStore, { storeCalls }: Metrics): CredentialStore {
  const measured = Object.entries(store).map(([operation, call]) => [
    operation,
    measure(call, {
      done: storeCalls.labels({ operation, outcome: "done" }),
      failed: storeCalls.labels({ operation, outcome: "failed" }),
    }),
  ]);
  return Object.fromEntries(measured) as CredentialStore;
}

interface Durations {
  observe(seconds: number): void;
}

function measure<Args extends unknown[], T>(
  call: (...args: Args) => Promise<T>,
  { done, failed }: { done: Durations; failed: Durations },
): (...args: Args) => Promise<T> {
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
