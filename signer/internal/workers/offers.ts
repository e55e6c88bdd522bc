import type { SignerConfig } from "../config.ts";
import type { MetricsSnapshot } from "../metrics.ts";
import type { ServicePlace } from "../runningService.ts";

/** What every worker of a service is started with. */
export interface WorkerSettings {
  /** Its port is not 0. */
  readonly config: SignerConfig;
  readonly verifyBundle: string | undefined;
  /** Since when minutes are counted for limits, in milliseconds of the wall clock. */
  readonly began: number;
}

/** What a worker lets the parent call. */
export type WorkerOffer = {
  /** Starts to serve, as the worker of this number. */
  start(number: number, settings: WorkerSettings): Promise<ServicePlace>;
  /** Has requests under way answered, and ends the process. */
  stop(): Promise<never>;
  metrics(): Promise<MetricsSnapshot>;
  /** Whether what it deleted or replaced has left the store's files. */
  erased(): Promise<boolean>;
  /** See WorkerLimiter. */
  handOver(limiter: string, key: string): number;
};

/** What the parent lets its workers call. */
export type ParentOffer = {
  /** Counts a request for a limit; see limitInParent. */
  count(limiter: string, limit: number, key: string): Promise<number>;
  /** Those of all workers, in Prometheus's text format. */
  metrics(): Promise<string>;
  /** Whether what any worker deleted or replaced has left the store's files. */
  erased(): Promise<boolean>;
};
