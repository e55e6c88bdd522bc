import { AggregatorRegistry } from "prom-client";
import type { MetricsSnapshot } from "../metrics.ts";
import type { WorkerProcess } from "./launchWorker.ts";

/** Adds up the metrics of a service's workers. */
export interface MetricsSum {
  /** Notes what a worker counted until now. */
  note(worker: WorkerProcess, snapshot: MetricsSnapshot): void;
  /** All together, in Prometheus's text format. */
  render(): Promise<string>;
}

const add = (snapshots: readonly MetricsSnapshot[]) => AggregatorRegistry.aggregate([...snapshots]);

/** What only grows. Prometheus would take it for new where it became less. */
const counts = (snapshot: MetricsSnapshot): MetricsSnapshot =>
  snapshot.filter(({ type }) => ["counter", "histogram"].includes(String(type)));

export function sumMetrics(): MetricsSum {
  const latest = new Map<WorkerProcess, MetricsSnapshot>();
  /** What workers had counted that have ended, as far as it was told. */
  let ended: MetricsSnapshot = [];

  function retire(worker: WorkerProcess): void {
    const last = latest.get(worker) ?? [];
    latest.delete(worker);
    ended = [...ended, ...counts(last)];
  }

  return {
    note(worker, snapshot) {
      if (!latest.has(worker)) void worker.ended.then(() => retire(worker));
      latest.set(worker, snapshot);
    },
    async render() {
      ended = await add([ended]).getMetricsAsJSON();
      return await add([...latest.values(), ended]).metrics();
    },
  };
}
