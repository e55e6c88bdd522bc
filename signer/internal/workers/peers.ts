import { limitAlone, type MakeLimiter } from "../limits/limiter.ts";

/** The processes that are one service together, as one of them sees them. */
export interface Peers {
  /** How many there are, this one included. */
  readonly count: number;
  readonly makeLimiter: MakeLimiter;
  /** The metrics of all in Prometheus's text format. `own` renders those of this one. */
  metrics(own: () => Promise<string>): Promise<string>;
  /** Whether all that any of them deleted or replaced has left the store's files. `own` tells of this one. */
  erased(own: () => Promise<boolean>): Promise<boolean>;
}

/** A service of one process. */
export const alone: Peers = {
  count: 1,
  makeLimiter: (_name, limit) => limitAlone(limit),
  metrics: (own) => own(),
  erased: (own) => own(),
};
