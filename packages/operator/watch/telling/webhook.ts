import { setTimeout as delay } from "node:timers/promises";
import { membersOf } from "@hardhat-identity/protocol/json";

/** Events that wait to be posted. */
const maxWaiting = 1_000;

/** Milliseconds for one request. */
const timeoutMs = 5_000;

/**
 * Posts events to a URL as JSON, one after the other, each again where that fails.
 *
 * @param onFailure Called when the webhook begins to fail, and for each event that is given up. The URL, which may hold
 * a secret, is in no message.
 * @param pausesMs Milliseconds before each repetition.
 */
export function openWebhook(
  url: string,
  onFailure: (problem: string) => void,
  pausesMs: readonly number[] = [1_000, 5_000, 20_000, 60_000],
) {
  const waiting: { readonly event: object; readonly onTaken: (() => void) | undefined }[] = [];
  let isFailing = false;
  let working: Promise<void> | undefined;

  async function post(event: object): Promise<string | undefined> {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(event),
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      const { ok, status } = response;
      const meaning = status >= 300 && status < 400 ? ", a redirect, which is not followed" : "";
      return ok ? undefined : `it answered HTTP ${status}${meaning}`;
    } catch (error) {
      const { name, cause } = error as Error;
      return name === "TimeoutError"
        ? "it did not answer in 5 s"
        : `it cannot be reached (${membersOf(cause).code ?? name})`;
    }
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { event, onTaken } = next;
      let problem = await post(event);
      if (problem !== undefined && !isFailing)
        onFailure(`The webhook did not take an event: ${problem}. The event is posted again.`);
      for (const pause of pausesMs) {
        if (problem === undefined) break;
        await delay(pause, undefined, { ref: false });
        problem = await post(event);
      }
      if (problem === undefined) onTaken?.();
      else onFailure(`The webhook never took an event: ${problem}.`);
      isFailing = problem !== undefined;
    }
    working = undefined;
  }

  return {
    /**
     * @param isMinor Whether it is left out while others wait: anybody can cause such events.
     * @param onTaken Called once the receiver has taken it.
     */
    send(event: object, isMinor: boolean, onTaken?: () => void): void {
      const isFull = waiting.length >= (isMinor ? 1 : maxWaiting);
      if (isFull && !isMinor) onFailure(`The webhook never took an event: ${maxWaiting} others wait for it.`);
      if (isFull) return;
      waiting.push({ event, onTaken });
      working ??= work();
    },
    /** Waits until all events are posted, so many milliseconds at most. */
    async drain(ms: number): Promise<void> {
      const over = new AbortController();
      // It keeps the process alive, because the pauses between repetitions do not.
      const late = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
      await Promise.race([working, late]);
      over.abort();
    },
  };
}
