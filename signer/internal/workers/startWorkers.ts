import cluster from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { SignerConfig } from "../config.ts";
import { listen, listenForMetrics } from "../listen.ts";
import type { Logger } from "../log.ts";
import type { RunningService } from "../runningService.ts";
import { launchWorker, type WorkerProcess } from "./launchWorker.ts";
import type { WorkerSettings } from "./offers.ts";
import { offerTo } from "./offerTo.ts";

/** Milliseconds until another worker takes the place of one that ended: at first, and at most. */
const [firstWait, longestWait] = [100, 5_000];

/** Milliseconds; after so long, how often its forerunners ended does not count any more. */
const goodLife = 60_000;

/** Milliseconds in which a worker lets requests under way end. */
const stopLimit = 12_000;

/**
 * Starts a service of several processes. They share one port: this process, their parent, hands them connections in
 * turn, and has another one take the place of one that ended. It serves nothing itself.
 *
 * @throws InvalidInputError when it cannot run as configured; nothing is left running then.
 */
export async function startWorkers(
  configured: { config: SignerConfig; verifyBundle: string | undefined },
  logger: Logger,
): Promise<RunningService> {
  if (!cluster.isPrimary) {
    throw new InvalidInputError("IDENTITY_WORKERS must be 1 within another program's worker.");
  }
  const { workers: count } = configured.config;
  const config = { ...configured.config, ...(await findPorts(configured.config)) };
  const settings: WorkerSettings = { ...configured, config, began: Date.now() };
  const all = new Set<WorkerProcess>();
  const serving = new Set<WorkerProcess>();
  const offer = offerTo(serving, settings);
  const stopping = new AbortController();

  async function launch(number: number): Promise<WorkerProcess> {
    const worker = launchWorker(number, settings, offer);
    all.add(worker);
    void worker.ended.then(() => {
      all.delete(worker);
      serving.delete(worker);
    });
    try {
      await worker.started;
    } catch (error) {
      worker.kill();
      throw error;
    }
    serving.add(worker);
    logger.info({ worker: number, pid: worker.pid }, "A worker serves.");
    return worker;
  }

  async function endAll(end: (worker: WorkerProcess) => void): Promise<void> {
    stopping.abort();
    await Promise.all(
      [...all].map((worker) => {
        end(worker);
        return worker.ended;
      }),
    );
  }

  /** Has a worker in this worker's place whenever it has ended, until the service stops. */
  async function keepUp(worker: WorkerProcess): Promise<never> {
    const { number } = worker;
    let current = worker;
    let wait = firstWait;
    for (;;) {
      const since = performance.now();
      const how = await current.ended;
      stopping.signal.throwIfAborted();
      if (performance.now() - since >= goodLife) wait = firstWait;
      logger.error({ worker: number, how, waitMs: wait }, "A worker ended; another one takes its place.");
      for (;;) {
        await delay(wait, undefined, { signal: stopping.signal });
        wait = Math.min(2 * wait, longestWait);
        try {
          current = await launch(number);
          break;
        } catch (error) {
          stopping.signal.throwIfAborted();
          if (serving.size === 0) throw error;
          const reason = error instanceof Error ? error.message : String(error);
          logger.error(
            { worker: number, reason, waitMs: wait },
            "A worker does not start; it is tried again.",
          );
        }
      }
    }
  }

  const kill = (worker: WorkerProcess) => worker.kill();
  /** The first one alone: a wrong PIN would be tried by each, and lock the token of the signing key. */
  async function launchAll(): Promise<[WorkerProcess, ...WorkerProcess[]]> {
    const first = await launch(1);
    const others = Array.from({ length: count - 1 }, (_, index) => launch(index + 2));
    return [first, ...(await Promise.all(others))];
  }
  const started = await launchAll().catch(async (error) => {
    await endAll(kill);
    throw error;
  });
  const place = await started[0].started;
  const failed = Promise.race(started.map(keepUp)).catch(async (error) => {
    // Stopped.
    if (stopping.signal.aborted) return await new Promise<never>(() => undefined);
    await endAll(kill);
    throw error;
  });
  return {
    ...place,
    failed,
    unref: () => undefined,
    async close() {
      await endAll((worker) => {
        if (!serving.has(worker)) return worker.kill();
        const late = setTimeout(worker.kill, stopLimit);
        void worker.ended.then(() => clearTimeout(late));
        worker.call("stop").catch(() => undefined);
      });
    },
  };
}

/** The ports to share, of which this says at once and once whether they are in use. */
async function findPorts(config: SignerConfig): Promise<Pick<SignerConfig, "port" | "metricsPort">> {
  const [server, ofMetrics] = [1, 2].map(() => createServer((socket) => socket.destroy()));
  if (server === undefined || ofMetrics === undefined) throw new Error("There are two servers.");
  try {
    const port = await listen(server, config);
    if (config.metricsPort === undefined) return { port, metricsPort: undefined };
    return { port, metricsPort: await listenForMetrics(ofMetrics, config) };
  } finally {
    for (const each of [server, ofMetrics]) if (each.listening) await once(each.close(), "close");
  }
}
