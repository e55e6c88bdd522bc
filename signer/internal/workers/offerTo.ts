import { setTimeout as delay } from "node:timers/promises";
import { limitInParent, sharedClock } from "../limits/sharedLimit.ts";
import type { WorkerProcess } from "./launchWorker.ts";
import type { ParentOffer, WorkerSettings } from "./offers.ts";
import { sumMetrics } from "./sumMetrics.ts";

/** Milliseconds that a worker has to answer, before the others go on without it. */
const answerLimit = 1_000;

/**
 * What the parent does for its workers: it knows of all what each knows of itself.
 *
 * @param serving Those that serve now.
 */
export function offerTo(serving: ReadonlySet<WorkerProcess>, { config, began }: WorkerSettings): ParentOffer {
  const limits = new Map<string, (key: string) => Promise<number>>();
  const sum = sumMetrics();

  async function askAll<Answer>(ask: (worker: WorkerProcess) => Promise<Answer>): Promise<Answer[]> {
    const answers = [...serving].map(async (worker) => {
      const late = delay(answerLimit, [], { ref: false });
      return await Promise.race([ask(worker).then((answer) => [answer]), late]).catch(() => []);
    });
    return (await Promise.all(answers)).flat();
  }

  function makeLimit(name: string, limit: number): (key: string) => Promise<number> {
    async function handOver(key: string): Promise<number> {
      const answered = await askAll((worker) => worker.call("handOver", name, key));
      return answered.reduce((total, each) => total + each, 0);
    }
    return limitInParent({ limit, workers: config.workers, handOver }, sharedClock(began));
  }

  return {
    count(name, limit, key) {
      const known = limits.get(name) ?? makeLimit(name, limit);
      limits.set(name, known);
      return known(key);
    },
    async metrics() {
      await askAll(async (worker) => sum.note(worker, await worker.call("metrics")));
      return await sum.render();
    },
    async erased() {
      return (await askAll((worker) => worker.call("erased"))).every((erased) => erased);
    },
  };
}
