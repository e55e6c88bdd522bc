import { setTimeout as delay } from "node:timers/promises";
import { membersOf } from "@hardhat-identity/protocol/json";

/** Events that wait to be posted. */
const maxWaiting = 1_000;

/** Statuses with which a receiver refuses what it was sent, and would again. */
const refusals: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Milliseconds for one request. */
const timeoutMs = 5_000;

/**
 * Posts events to a URL as JSON, one after the other, each again where that fails, unless the receiver refuses what it was
 * sent.
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
  let [isFailing, hasEnded] = [false, false];
  let working: Promise<void> | undefined;

  async function post(event: object): Promise<{ problem: string; mayPass: boolean } | undefined> {
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
      const problem = `it answered HTTP ${status}${meaning}`;
      return ok ? undefined : { problem, mayPass: !refusals.has(status) };
    } catch (error) {
      const { name, cause } = error as Error;
      const away = `it cannot be reached (${membersOf(cause).code ?? name})`;
      return { problem: name === "TimeoutError" ? "it did not answer in 5 s" : away, mayPass: true };
    }
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined && !hasEnded; next = waiting.shift()) {
      const { event, onTaken } = next;
      let failure = await post(event);
      if (failure?.mayPass && !isFailing)
        onFailure(`The webhook did not take an event: ${failure.problem}. The event is posted again.`);
      for (const pause of pausesMs) {
        if (!failure?.mayPass) break;
        await delay(pause, undefined, { ref: false });
        if (hasEnded) return;
        failure = await post(event);
      }
      if (failure === undefined) onTaken?.();
      else onFailure(`The webhook never took an event: ${failure.problem}.`);
      isFailing = failure?.mayPass === true;
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
    /** Waits until all events are posted, so many milliseconds at most, and gives up those that are left. */
    async drain(ms: number): Promise<void> {
      const over = new AbortController();
      // It keeps the process alive, because the pauses between repetitions do not.
      const late = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
      const isPosted = await Promise.race([working?.then(() => true) ?? true, late]);
      over.abort();
      hasEnded = isPosted !== true;
    },
  };
}
