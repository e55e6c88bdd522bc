import type { Metrics } from "../metrics.ts";
import type { CredentialStore } from "./store.ts";

/** The same store, with every call of it observed. */
export function measureStore(store: CredentialStore, { storeCalls }: Metrics): CredentialStore {
  const measured = Object.entries(store).map(([operation, call]) => [
    operation,
    async (...args: unknown[]) => {
      const end = storeCalls.startTimer({ operation });
      try {
        const answer = await (call as (...args: unknown[]) => Promise<unknown>)(...args);
        end({ outcome: "done" });
        return answer;
      } catch (error) {
        end({ outcome: "failed" });
        throw error;
      }
    },
  ]);
  return Object.fromEntries(measured) as CredentialStore;
}
