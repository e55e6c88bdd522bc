import { formatNumber, type Target, target } from "./report.ts";

/** The largest usage of a service in one or several slices of time. */
export interface Sample {
  /** Resident memory in bytes (the largest reading): garbage collection moves it by a third, for minutes. */
  readonly resident: number;
  /** Heap after garbage collection, in bytes (the largest reading). */
  readonly heap: number;
  /** Open sockets (the largest reading). */
  readonly sockets: number;
  /** Open files without sockets (the largest reading). */
  readonly files: number;
}

/** A third of the time. */
export interface Third {
  readonly name: string;
  readonly sample: Sample;
}

/** Skips the first fifth of the samples as warm-up, and divides the rest into three parts. */
export function takeThirds(samples: readonly Sample[]): Third[] {
  const counted = samples.slice(Math.ceil(samples.length / 5));
  const length = Math.floor(counted.length / 3);
  if (length === 0) throw new Error("Thirds need at least four samples.");
  const parts = {
    First: counted.slice(0, length),
    Second: counted.slice(length, -length),
    Last: counted.slice(-length),
  };
  return Object.entries(parts).map(([name, part]) => ({ name: `${name} third`, sample: summarise(part) }));
}

export const summarise = (samples: readonly Sample[]): Sample => ({
  resident: Math.max(...samples.map(({ resident }) => resident)),
  heap: Math.max(...samples.map(({ heap }) => heap)),
  sockets: Math.max(...samples.map(({ sockets }) => sockets)),
  files: Math.max(...samples.map(({ files }) => files)),
});

const megabytes = (bytes: number) => `${formatNumber(bytes / 1e6, 1)} MB`;

/** Compares the last third with the first. The limits allow for caches, pools and garbage collection. */
export function judgeGrowth(thirds: readonly Third[]): Target[] {
  const [first, last] = [thirds.at(0)?.sample, thirds.at(-1)?.sample];
  if (first === undefined || last === undefined) throw new Error("There is nothing to judge.");
  const share = (promise: string, of: "resident" | "heap") =>
    target(
      promise,
      last[of] / first[of],
      { atMost: 1.1 },
      () => `${megabytes(first[of])}, then ${megabytes(last[of])}`,
    );
  const count = (promise: string, of: "sockets" | "files", atMost: number) =>
    target(promise, last[of] - first[of], { atMost }, () => `${first[of]}, then ${last[of]}`);
  return [
    share("Resident memory grows by a tenth at most", "resident"),
    share("The heap, collected, grows by a tenth at most", "heap"),
    count("At most 10 sockets more, which is a pool's", "sockets", 10),
    count("At most 5 open files more", "files", 5),
  ];
}
