import { setTimeout as delay } from "node:timers/promises";
import { type Chain, ChainUnavailableError } from "@hardhat-identity/chain/connect";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";

/** Milliseconds in which no more calls are sent than the node takes in a second, which some time passes on the way to. */
const windowMs = 1_100;

/** Milliseconds without a refusal after which the rate rises, and by how much. */
const [riseMs, rise] = [600_000, 1.25];

/** Milliseconds: the first and the longest pause after a refusal that names none; and the longest that one may name. */
const [firstPauseMs, maxPauseMs, maxToldPauseMs] = [1_000, 30_000, 120_000];

/** Refusals of one batch in a row, after which it fails. */
const maxRefusals = 6;

/** Calls in a batch: at first, and the least to which it shrinks, besides the `eth_chainId` that each batch has. */
const [firstBatch, leastBatch] = [9, 3];

interface Waiting {
  readonly call: { readonly method: string; readonly params: readonly unknown[] | object };
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Asks a node whose limits are learned: how many calls a second it takes, and how many in a batch. Where the node was asked
 * too often, it waits, and asks again. Up to three calls of the same turn of the event loop go out in one batch, which one
 * node behind a balancer answers; more than that may be split.
 *
 * @param stop Ends pauses.
 */
export function paceNode(chain: Chain, stop?: AbortSignal): Eip1193Connection {
  let batchSize = firstBatch;
  let perSecond = Number.POSITIVE_INFINITY;
  let learnedAt = 0;
  let sent: { at: number; calls: number }[] = [];
  let waiting: Waiting[] = [];

  const pause = (ms: number) => delay(ms, undefined, { signal: stop });
  const countSent = () => sent.reduce((sum, { calls }) => sum + calls, 0);

  /** Waits until the node takes so many calls more. */
  async function takeTurn(calls: number): Promise<void> {
    if (performance.now() - learnedAt > riseMs) {
      perSecond *= rise;
      learnedAt = performance.now();
    }
    for (;;) {
      const now = performance.now();
      // A batch that is larger than what a second may have takes longer to be forgotten.
      sent = sent.filter((each) => now - each.at < windowMs * Math.max(1, each.calls / perSecond));
      if (sent.length === 0 || countSent() + calls <= perSecond) break;
      await pause(25);
    }
    sent.push({ at: performance.now(), calls });
  }

  /** Makes calls in one batch, as often as the node refuses it for its rate. Answers with an error for each that failed. */
  async function send(calls: readonly Waiting[]): Promise<unknown[]> {
    for (let refusals = 0; ; refusals++) {
      await takeTurn(calls.length + 1);
      const node = chain.open();
      const settled = await Promise.allSettled(calls.map(({ call }) => node.request(call)));
      const answers = settled.map((each) => (each.status === "fulfilled" ? each.value : each.reason));
      const tooOften = answers.find((each) => each instanceof ChainUnavailableError && each.limit === "rate");
      if (tooOften === undefined) return answers;
      if (refusals === maxRefusals) throw tooOften;
      perSecond = Math.max(0.2, Math.min(perSecond, countSent()) * 0.6);
      learnedAt = performance.now();
      const told = tooOften.retryAfterMs;
      const untold = Math.min(maxPauseMs, firstPauseMs * 2 ** refusals);
      await pause(told === undefined ? untold : Math.min(maxToldPauseMs, told + 100));
    }
  }

  async function flush(): Promise<void> {
    let left = waiting;
    waiting = [];
    try {
      while (left.length > 0) {
        const part = left.slice(0, Math.max(leastBatch, Math.min(batchSize, Math.floor(perSecond) - 1)));
        const answers = await send(part);
        if (isTooLong(answers)) {
          batchSize = Math.max(leastBatch, Math.floor(part.length / 2));
          continue;
        }
        for (const [i, { resolve, reject }] of part.entries()) {
          if (answers[i] instanceof Error) reject(answers[i]);
          else resolve(answers[i]);
        }
        left = left.slice(part.length);
      }
    } catch (error) {
      for (const { reject } of left) reject(error);
    }
  }

  return {
    request: ({ method, params = [] }) =>
      new Promise((resolve, reject) => {
        if (waiting.push({ call: { method, params }, resolve, reject }) === 1) queueMicrotask(flush);
      }),
  };
}

/** Nodes refuse a batch that is too long in many ways, always for all of its calls. */
function isTooLong(answers: readonly unknown[]): boolean {
  const isRefused = (answer: unknown) =>
    answer instanceof ChainUnavailableError && (answer.refused || answer.limit === "size");
  return answers.length > leastBatch && answers.every(isRefused);
}
