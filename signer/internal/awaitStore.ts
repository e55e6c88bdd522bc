import { setTimeout as delay } from "node:timers/promises";
import type { CredentialStore } from "./credentials/store.ts";
import { StoreUnavailableError } from "./credentials/storeUnavailable.ts";

/** Milliseconds between tries: at first, and at most. */
const [firstWait, longestWait] = [250, 2_000];

/**
 * Opens a store; again and again while its database is away.
 *
 * @param meanwhile Called once, where it has to wait: what begins then, and how it ends.
 * @throws what opening throws, where that does not pass by itself.
 */
export async function awaitStore(
  open: () => Promise<CredentialStore>,
  meanwhile: (problem: string) => Promise<() => void>,
): Promise<CredentialStore> {
  let end: (() => void) | undefined;
  try {
    for (let wait = firstWait; ; wait = Math.min(2 * wait, longestWait)) {
      try {
        return await open();
      } catch (error) {
        if (!isAway(error)) throw error;
        end ??= await meanwhile(error.message);
        await delay(wait);
      }
    }
  } finally {
    end?.();
  }
}

const isAway = (error: unknown): error is Error =>
  error instanceof Error && error.cause instanceof StoreUnavailableError && error.cause.isAway;
