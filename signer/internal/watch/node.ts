import { setTimeout as delay } from "node:timers/promises";
import { type Chain, ChainUnavailableError } from "../../../chain/connect.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";

/** A JSON-RPC call. */
export interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * A node whose limits are learned: how many calls a second it takes, and how many in a batch. It waits where the node was
 * asked too often, and asks again. Calls of the same turn of the event loop go out in one batch, so that one node behind a
 * balancer answers all of them.
 */
export interface PacedNode extends Eip1193Connection {
  /** Makes calls that are independent of each other, in as many batches as it takes. The first that fails, fails all. */
  askEach(calls: readonly Call[]): Promise<unknown[]>;
}

/** Milliseconds in which no more calls are sent than the node takes in a second, which some time passes on the way to. */
const windowMs = 1_100;

/** Milliseconds: from one rise of the learned rate to the next, and until more than what was refused is tried. */
const [riseMs, forgetMs] = [60_000, 1_800_000];

/** Milliseconds: the first and the longest pause after a refusal that names none; and what a refusal may name. */
const [firstPauseMs, maxPauseMs, maxToldPauseMs] = [1_000, 30_000, 120_000];

/** Refusals of one batch in a row, after which it fails. */
const maxRefusals = 6;

/** Calls in a batch: at first, and the least to which it shrinks, besides the `eth_chainId` that each batch has. */
const [firstBatch, leastBatch] = [30, 2];

/** @param stop Ends pauses. */
export function paceNode(chain: Chain, stop?: AbortSignal): PacedNode {
  let batchSize = firstBatch;
  let perSecond = Number.POSITIVE_INFINITY;
  let refused = { rate: Number.POSITIVE_INFINITY, at: 0 };
  let raisedAt = 0;
  let sent: { at: number; calls: number }[] = [];

  const pause = (ms: number) => delay(ms, undefined, { signal: stop });
  const countSent = () => sent.reduce((sum, { calls }) => sum + calls, 0);

  /** Waits until the node takes so many calls more. */
  async function takeTurn(calls: number): Promise<void> {
    const now = performance.now();
    if (now - refused.at > forgetMs) refused.rate = Number.POSITIVE_INFINITY;
    if (now - raisedAt > riseMs) {
      perSecond = Math.min(perSecond * 1.1, Math.max(perSecond, refused.rate * 0.9));
      raisedAt = now;
    }
    for (;;) {
      // A batch that is larger than what a second may have takes longer to be forgotten.
      sent = sent.filter(
        (each) => performance.now() - each.at < windowMs * Math.max(1, each.calls / perSecond),
      );
      if (sent.length === 0 || countSent() + calls <= perSecond) break;
      await pause(25);
    }
    sent.push({ at: performance.now(), calls });
  }

  /** Learns from a refusal, and waits as long as the node says. */
  async function giveWay(error: ChainUnavailableError, refusals: number): Promise<void> {
    const rate = countSent();
    refused = { rate, at: performance.now() };
    perSecond = Math.max(0.2, Math.min(perSecond, rate) * 0.6);
    raisedAt = performance.now();
    const told = error.retryAfterMs;
    await pause(
      told === undefined
        ? Math.min(maxPauseMs, firstPauseMs * 2 ** refusals)
        : Math.min(maxToldPauseMs, told + 100),
    );
  }

  /** Makes calls in one batch. Answers with an error for each that the node refused. */
  async function send(calls: readonly Call[]): Promise<unknown[]> {
    for (let refusals = 0; ; refusals++) {
      await takeTurn(calls.length + 1);
      const node = chain.open();
      const settled = await Promise.allSettled(calls.map((call) => node.request(call)));
      const answers = settled.map((each) => (each.status === "fulfilled" ? each.value : each.reason));
      const tooOften = answers.find((each) => each instanceof ChainUnavailableError && each.limit === "rate");
      if (tooOften === undefined) return answers;
      if (refusals === maxRefusals) throw tooOften;
      await giveWay(tooOften, refusals);
    }
  }

  async function askEach(calls: readonly Call[]): Promise<unknown[]> {
    const results: unknown[] = [];
    while (results.length < calls.length) {
      const size = Math.max(leastBatch, Math.min(batchSize, Math.floor(perSecond) - 1));
      const part = calls.slice(results.length, results.length + size);
      const answers = await send(part);
      const failed = answers.find((each) => each instanceof Error);
      if (failed === undefined) results.push(...answers);
      // Nodes refuse a batch that is too long in many ways, always for all of its calls.
      else if (isTooLong(answers, part.length)) batchSize = Math.max(leastBatch, Math.floor(part.length / 2));
      else throw failed;
    }
    return results;
  }

  type Waiting = Call & { resolve(result: unknown): void; reject(error: unknown): void };
  let waiting: Waiting[] = [];
  async function flush(): Promise<void> {
    const calls = waiting;
    waiting = [];
    try {
      const answers = await send(calls.map(({ method, params }) => ({ method, params })));
      for (const [i, call] of calls.entries()) {
        if (answers[i] instanceof Error) call.reject(answers[i]);
        else call.resolve(answers[i]);
      }
    } catch (error) {
      for (const call of calls) call.reject(error);
    }
  }

  return {
    askEach,
    request: ({ method, params = [] }) =>
      new Promise((resolve, reject) => {
        const call = { method, params: params as readonly unknown[], resolve, reject };
        if (waiting.push(call) === 1) queueMicrotask(flush);
      }),
  };
}

function isTooLong(answers: readonly unknown[], length: number): boolean {
  const [first] = answers;
  if (!(first instanceof ChainUnavailableError) || length <= leastBatch) return false;
  return (first.refused || first.limit === "size") && answers.every((each) => each instanceof Error);
}
