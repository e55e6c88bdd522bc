import { formatNumber, type Target, target } from "./report.ts";

/** What a service uses at most in one or several slices of time. */
export interface Sample {
  /** Resident memory in bytes: garbage collection moves it by a third, for minutes. */
  readonly resident: number;
  /** Heap after garbage collection, in bytes. */
  readonly heap: number;
  /** Open sockets. */
  readonly sockets: number;
  /** Open files without sockets. */
  readonly files: number;
}

/** Skips the first fifth of the samples as warm-up, and returns the largest values of each third of the rest. */
export function takeThirds(samples: readonly Sample[]): [first: Sample, second: Sample, last: Sample] {
  const counted = samples.slice(Math.ceil(samples.length / 5));
  const length = Math.floor(counted.length / 3);
  if (length === 0) throw new Error("Thirds need at least four samples.");
  return [
    summarise(counted.slice(0, length)),
    summarise(counted.slice(length, -length)),
    summarise(counted.slice(-length)),
  ];
}

export function summarise(samples: readonly Sample[]): Sample {
  const largest = (of: keyof Sample) => Math.max(...samples.map((sample) => sample[of]));
  return {
    resident: largest("resident"),
    heap: largest("heap"),
    sockets: largest("sockets"),
    files: largest("files"),
  };
}

/** Compares the last third with the first. The limits allow for caches, pools and garbage collection. */
export function judgeGrowth([first, , last]: ReturnType<typeof takeThirds>): Target[] {
  const megabytes = (bytes: number) => `${formatNumber(bytes / 1e6, 1)} MB`;
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
