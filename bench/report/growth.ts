import { formatNumber, type Target, target } from "./report.ts";

/** What a service took in one slice of the time, or in several. */
export interface Sample {
  /** Bytes at most: the collector lets it go up and down by a third, for minutes. */
  readonly resident: number;
  /** Bytes that a collection has left, at most. */
  readonly heap: number;
  /** At most. */
  readonly sockets: number;
  /** At most, without sockets. */
  readonly files: number;
}

/** A third of the time. */
export interface Third {
  readonly name: string;
  readonly sample: Sample;
}

/** A fifth of the samples is warm-up; the rest in three parts. */
export function takeThirds(samples: readonly Sample[]): Third[] {
  const counted = samples.slice(Math.ceil(samples.length / 5));
  const length = Math.floor(counted.length / 3);
  if (length === 0) throw new Error("Thirds need four samples at least.");
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

/** Holds the last third against the first. What caches, pools and the collector's whims come to is allowed. */
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
