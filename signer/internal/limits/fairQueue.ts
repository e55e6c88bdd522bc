import { BoundedMap } from "./boundedMap.ts";
import { LimitError } from "./limitError.ts";

/** Lets strangers' work wait for its turn, so that no client takes the service away from the others. */
export interface FairQueue {
  /**
   * Runs work once there is room for it: at once, where nothing is in its way.
   *
   * @param client Whose it is. The client that has used the least time goes next.
   * @param size How much of the room it takes. What is larger than a client's share runs when nothing else of it does.
   * @throws LimitError `overloaded` when too much waits already, or it has waited too long.
   */
  run<T>(client: string, size: number, work: () => Promise<T>): Promise<T>;
}

export interface QueueLimits {
  /** How much runs at once: of all, and of one client. */
  readonly room: number;
  readonly share: number;
  /** How many may wait: of all, and of one client. */
  readonly line: number;
  readonly lineShare: number;
  /** Milliseconds that one may wait. */
  readonly patience: number;
  /** Whose time clients are charged for: the event loop's, or that until the work is done. */
  readonly scarce: "loop" | "work";
}

/** What is told of a queue. */
export interface QueueObserver {
  /** How many wait now. */
  waiting(count: number): void;
  refused(): void;
}

/** How many are started in a turn of the event loop, which costs about as much as starting one. */
const startedAtOnce = 4;

/** Milliseconds that a client is charged when its work starts; what it took is settled later. */
const deposit = 1;

/** Of how many clients it is known what they have used. */
const knownClients = 1_000;

interface Waiting {
  readonly size: number;
  start(): void;
}

const fits = (used: number, size: number, limit: number) => used === 0 || used + size <= limit;

/** Start-time fair queueing: each client has a clock of the time that it has used, and the lowest goes next. */
export function fairQueue(limits: QueueLimits, observer: QueueObserver): FairQueue {
  const lines = new Map<string, Waiting[]>();
  const running = new Map<string, number>();
  const clocks = new BoundedMap<string, number>(knownClients);
  /** The clock of whoever was started last. Whoever was away has saved nothing up: no clock is behind this one. */
  let clock = 0;
  let used = 0;
  let waiting = 0;
  /** The clients that were started in this turn of the event loop, and when its first was. */
  let started: string[] = [];
  let startedAt = 0;
  let turnIsDue = false;

  const clockOf = (client: string) => Math.max(clock, clocks.get(client) ?? 0);
  const charge = (client: string, took: number) => void clocks.set(client, clockOf(client) + took);
  const mayStart = (client: string, size: number) => fits(running.get(client) ?? 0, size, limits.share);

  function take(client: string, size: number): void {
    const taken = (running.get(client) ?? 0) + size;
    if (taken === 0) running.delete(client);
    else running.set(client, taken);
    used += size;
  }

  function begin(client: string, size: number): void {
    clock = clockOf(client);
    charge(client, deposit);
    take(client, size);
    if (started.length === 0) startedAt = performance.now();
    started.push(client);
    scheduleTurn();
  }

  /** Only a few are started in a turn of the event loop: what arrives last must be read at all. */
  function scheduleTurn(): void {
    if (turnIsDue) return;
    turnIsDue = true;
    setImmediate(takeTurn);
  }

  function takeTurn(): void {
    turnIsDue = false;
    if (limits.scarce === "loop") {
      const took = (performance.now() - startedAt) / started.length;
      for (const client of started) charge(client, Math.max(0, took - deposit));
    }
    started = [];
    for (let count = 0; count < startedAtOnce; count++) {
      const next = findNext();
      if (next === undefined) return;
      leave(...next);
      begin(next[0], next[1].size);
      next[1].start();
    }
  }

  /** Of the clients that are not in their own way, the one whose clock is lowest; if there is room for its work. */
  function findNext(): [client: string, next: Waiting] | undefined {
    let found: [client: string, next: Waiting] | undefined;
    for (const [client, [next]] of lines) {
      if (next === undefined || !mayStart(client, next.size)) continue;
      if (found === undefined || clockOf(client) < clockOf(found[0])) found = [client, next];
    }
    // Nobody overtakes who only waits for room: small work would keep large work out for ever.
    return found !== undefined && fits(used, found[1].size, limits.room) ? found : undefined;
  }

  function refuse(): LimitError {
    observer.refused();
    return new LimitError("overloaded", "The service has too much to do right now; try again later.", 2);
  }

  function leave(client: string, one: Waiting): void {
    const rest = (lines.get(client) ?? []).filter((other) => other !== one);
    if (rest.length > 0) lines.set(client, rest);
    else lines.delete(client);
    observer.waiting(--waiting);
  }

  function wait(client: string, size: number): Promise<void> {
    const line = lines.get(client) ?? [];
    if (waiting >= limits.line || line.length >= limits.lineShare) throw refuse();
    return new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        leave(client, one);
        reject(refuse());
        scheduleTurn();
      }, limits.patience).unref();
      const one = {
        size,
        start() {
          clearTimeout(late);
          resolve();
        },
      };
      lines.set(client, [...line, one]);
      observer.waiting(++waiting);
      scheduleTurn();
    });
  }

  observer.waiting(0);
  return {
    async run(client, size, work) {
      const isFree = !turnIsDue && lines.size === 0 && fits(used, size, limits.room);
      if (isFree && mayStart(client, size)) begin(client, size);
      else await wait(client, size);
      const since = performance.now();
      try {
        return await work();
      } finally {
        take(client, -size);
        if (limits.scarce === "work") charge(client, Math.max(0, performance.now() - since - deposit));
        if (lines.size > 0) scheduleTurn();
      }
    },
  };
}
