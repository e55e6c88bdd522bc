import type { SpendGas } from "@hardhat-identity/protocol/chain/boundedCalls";
import { type Chain, ChainUnavailableError } from "@hardhat-identity/protocol/chain/connect";
import { type FairQueue, fairQueue, type QueueLimits } from "../limits/fairQueue.ts";
import { createLimiter, type MakeLimiter } from "../limits/limiter.ts";
import type { Metrics } from "../monitoring/metrics.ts";

/** Chosen so that a message may take five times as long as a usual one, and the node four seconds. */
const requestLimits: QueueLimits = {
  room: 64,
  share: 32,
  line: 512,
  lineShare: 256,
  waitMs: 2_000,
  scarce: "loop",
};

/** In gas; a node takes a second for some hundred million. A client can have one hostile contract read at a time. */
const gasLimits: QueueLimits = {
  room: 40_000_000,
  share: 3_000_000,
  line: 512,
  lineShare: 64,
  waitMs: 2_000,
  scarce: "job",
};

/** The queues and limits of requests. Metrics count their refusals. */
interface Traffic {
  /** The queue of requests, each of size 1. */
  readonly requests: FairQueue;
  /** Reserves gas of the node for a client, which waits for its turn. */
  spendGas(client: string): SpendGas;
  /** Creates a limiter of requests a minute, whose refusals are counted under its name. */
  readonly makeLimiter: MakeLimiter;
  /** Sets the metrics of the requests that wait. */
  measureWaiting(): void;
}

export function createTraffic(chain: Chain, metrics: Metrics): Traffic {
  function queue(name: string, limits: QueueLimits) {
    const refusals = metrics.overloads.labels({ queue: name });
    refusals.inc(0);
    return fairQueue(limits, () => {
      refusals.inc();
      // Requests that wait for the node keep their places.
      return chain.isSlow?.()
        ? new ChainUnavailableError("The node is slow, or does not answer.")
        : undefined;
    });
  }
  const queues = { requests: queue("requests", requestLimits), gas: queue("gas", gasLimits) };
  return {
    requests: queues.requests,
    spendGas: (client) => (gas, ask) => queues.gas.runJob(client, gas, ask),
    makeLimiter(name, limit) {
      const refusals = metrics.limitedRequests.labels({ limit: name });
      refusals.inc(0);
      return createLimiter(limit, () => refusals.inc());
    },
    measureWaiting() {
      for (const [name, { waiting }] of Object.entries(queues))
        metrics.waiting.set({ queue: name }, waiting());
    },
  };
}
