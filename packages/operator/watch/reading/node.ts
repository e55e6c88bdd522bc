import { setTimeout as delay } from "node:timers/promises";
import { type Chain, ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";

/** Calls a second where a node refuses for its rate for the first time. */
const firstRate = 100;

/** The part of the rate that a refusal leaves. */
const fall = 0.6;

/** Milliseconds without a refusal after which the rate rises. */
const riseMs = 600_000;

/** The factor by which the rate rises. */
const rise = 1.25;

/** Milliseconds without a refusal after which the rate doubles while it is below what the node took before. */
const quietMs = 60_000;

/** Milliseconds of the first pause after a refusal that names none. */
const firstPauseMs = 1_000;

/** Milliseconds of the longest pause after such refusals. */
const maxPauseMs = 30_000;

/** Milliseconds of the longest pause that a refusal may name. */
const maxToldPauseMs = 120_000;

/** Refusals of one batch in a row, after which it fails. */
const maxRefusals = 6;

/** Calls in a batch at first, besides the `eth_chainId` that each batch has. */
const firstBatch = 9;

/** The fewest calls to which a batch shrinks. */
const leastBatch = 3;

interface Waiting {
  readonly method: string;
  readonly params: readonly unknown[] | object;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Asks a node whose limits are learned: how many calls a second it takes, and how many in a batch. Where the node was asked
 * too often, it waits, and asks again. Up to three calls of the same turn of the event loop go out in one batch, which one
 * node behind a balancer answers; more than that may be split. The same call is made once a turn.
 *
 * @param stop Ends pauses.
 */
export function paceNode(chain: Chain, stop: AbortSignal | undefined): Eip1193Connection {
  let batchSize = firstBatch;
  let perSecond = Number.POSITIVE_INFINITY;
  let [learnedAt, nextAt] = [0, 0];
  /** The calls since the last refusal, of at most a quiet minute; and how many a second the node took in the one before. */
  let quiet = { since: 0, calls: 0 };
  let [taken, isReturning] = [0, false];
  let waiting: Waiting[] = [];
  const asked = new Map<string, Promise<unknown>>();

  /** Waits until the node takes so many calls more. */
  async function takeTurn(calls: number): Promise<void> {
    const now = performance.now();
    if (now - quiet.since > quietMs) {
      isReturning = perSecond < taken;
      if (isReturning) perSecond = Math.min(2 * perSecond, taken);
      else taken = (1_000 * quiet.calls) / (now - quiet.since);
      quiet = { since: now, calls: 0 };
    }
    quiet.calls += calls;
    if (now - learnedAt > riseMs) [perSecond, learnedAt] = [perSecond * rise, now];
    const at = Math.max(now, nextAt);
    nextAt = at + (1_000 * calls) / perSecond;
    if (at > now) await delay(Math.ceil(at - now), undefined, { signal: stop });
  }

  /** Makes calls in one batch, as often as the node refuses it for its rate. */
  async function send(calls: readonly Waiting[]): Promise<PromiseSettledResult<unknown>[]> {
    for (let refusals = 0; ; refusals++) {
      await takeTurn(calls.length + 1);
      const conversation = chain.open();
      const answers = await Promise.allSettled(calls.map((call) => conversation.request(call)));
      const tooOften = answers.map(problemOf).find((problem) => problem?.limit === "rate");
      if (tooOften === undefined || refusals === maxRefusals) return answers;
      perSecond = Math.max(0.2, Math.min(perSecond, firstRate) * fall);
      learnedAt = performance.now();
      // A node that refused all for a while takes as much as before afterwards; one whose plan has changed does not.
      if (isReturning) [taken, isReturning] = [perSecond, false];
      quiet = { since: learnedAt, calls: 0 };
      const told = tooOften.retryAfterMs;
      const untold = Math.min(maxPauseMs, firstPauseMs * 2 ** refusals);
      const pauseMs = told === undefined ? untold : Math.min(maxToldPauseMs, told + 100);
      nextAt = Math.max(nextAt, learnedAt + pauseMs);
    }
  }

  async function flush(): Promise<void> {
    let left = waiting;
    waiting = [];
    asked.clear();
    try {
      while (left.length > 0) {
        const part = left.slice(0, Math.max(leastBatch, Math.min(batchSize, Math.floor(perSecond) - 1)));
        const answers = await send(part);
        if (isTooLong(answers)) {
          batchSize = Math.max(leastBatch, Math.floor(part.length / 2));
          continue;
        }
        for (const [i, answer] of answers.entries()) {
          if (answer.status === "fulfilled") part[i]?.resolve(answer.value);
          else part[i]?.reject(answer.reason);
        }
        left = left.slice(part.length);
      }
    } catch (error) {
      for (const { reject } of left) reject(error);
    }
  }

  return {
    request({ method, params = [] }) {
      const name = JSON.stringify([method, params]);
      const answer =
        asked.get(name) ??
        new Promise((resolve, reject) => {
          if (waiting.push({ method, params, resolve, reject }) === 1) queueMicrotask(flush);
        });
      asked.set(name, answer);
      return answer;
    },
  };
}

/** Whether a node may answer if it is asked for less: nodes have no code of their own for that, so any refusal may mean it. */
export const isTooMuch = (error: unknown): error is ChainUnavailableError =>
  error instanceof ChainUnavailableError && (error.refused || error.limit === "size");

/** Takes a refusal of {@link isTooMuch} for no answer; to be passed to `catch`. */
export function orNoAnswer(error: unknown): undefined {
  if (!isTooMuch(error)) throw error;
}

const problemOf = (answer: PromiseSettledResult<unknown>): ChainUnavailableError | undefined =>
  answer.status === "rejected" && answer.reason instanceof ChainUnavailableError ? answer.reason : undefined;

/** Nodes refuse a batch that is too long in many ways, always for all of its calls. */
const isTooLong = (answers: readonly PromiseSettledResult<unknown>[]): boolean =>
  answers.length > leastBatch && answers.map(problemOf).every(isTooMuch);
