// One of a service's workers: a process that startWorkers.ts starts and calls.
import type { Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { limitInWorker, sharedClock, type WorkerLimiter } from "../limits/sharedLimit.ts";
import { createLogger } from "../log.ts";
import { startProcess } from "../startSigner.ts";
import { callsOver } from "./calls.ts";
import type { ParentOffer, WorkerOffer, WorkerSettings } from "./offers.ts";
import type { Peers } from "./peers.ts";

let started: ReturnType<typeof startProcess> | undefined;
const limiters = new Map<string, WorkerLimiter>();

const offer: WorkerOffer = {
  async start(number, settings) {
    const logger = createLogger(settings.config.logLevel).child({ worker: number });
    started = startProcess(settings, logger, peersOf(settings));
    const { running } = await started;
    const { url, verifyUrl, port, metricsUrl, signer, curve, noNativeCurve } = running;
    return { url, verifyUrl, port, metricsUrl, signer, curve, noNativeCurve };
  },
  async stop() {
    const ofThis = await started;
    if (ofThis !== undefined) {
      await untilNobodyComes(ofThis.server);
      await ofThis.running.close();
    }
    return process.exit(0);
  },
  async metrics() {
    const { service } = await serving();
    return service.metrics.snapshot(await service.readiness.check());
  },
  async erased() {
    return (await serving()).service.store.erased();
  },
  handOver: (limiter, key) => limiters.get(limiter)?.handOver(key) ?? 0,
};

const parent = callsOver<ParentOffer>(process, offer);

async function serving() {
  if (started === undefined) throw new Error("The worker has not been started.");
  return started;
}

function peersOf({ config, began }: WorkerSettings): Peers {
  const { workers } = config;
  return {
    count: workers,
    makeLimiter(name, limit) {
      const counted = (key: string) => parent.call("count", name, limit, key);
      const limiter = limitInWorker({ limit, workers, count: counted }, sharedClock(began));
      limiters.set(name, limiter);
      return limiter;
    },
    metrics: () => parent.call("metrics"),
    erased: () => parent.call("erased"),
  };
}

/** Milliseconds in which nobody came, and that one waits for it at most. */
const [quiet, patience] = [50, 1_000];

/** Connections that the parent has accepted come one after the other: none of them is to be lost. */
async function untilNobodyComes(server: Server): Promise<void> {
  let came = performance.now();
  const deadline = came + patience;
  server.on("connection", () => {
    came = performance.now();
  });
  while (performance.now() < Math.min(came + quiet, deadline)) await delay(quiet / 5);
}

// The parent says when to stop. A terminal and systemd tell every process of a group.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
