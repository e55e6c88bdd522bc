import { BoundedMap } from "./boundedMap.ts";
import { LimitError } from "./limitError.ts";

/** Lets strangers' work wait for its turn, so that no client takes the service away from the others. */
export interface FairQueue {
  /**
   * Runs work once there is room for it: at once, where nothing is in its way.
   *
   * @param client Whose it is; clients take turns.
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
  /** Whose time is scarce: the event loop's, in which work takes turns, or that of what the work waits for. */
  readonly scarce: "loop" | "work";
}

/** What is told of a queue. */
export interface QueueObserver {
  /** How many wait now. */
  waiting(count: number): void;
  refused(): void;
}

/**
 * While others are there, a client rests after its work for three times as long as that took: of what is scarce it has a
 * quarter. In milliseconds, no longer than so: what answers slowly has not been busy for it all the time.
 */
const restFor = (took: number) => Math.min(3 * took, 200);

/** Milliseconds for which a client is there, from when it came last. */
const presence = 1_000;

/** How many are started in a turn of the event loop, which costs about as much as starting one. */
const startedAtOnce = 4;

/** Of how many clients it is known when they had their turn; of others, none is. */
const knownClients = 1_000;

interface Waiting {
  readonly size: number;
  start(): void;
}

const fits = (used: number, size: number, limit: number) => used === 0 || used + size <= limit;

export function fairQueue(limits: QueueLimits, observer: QueueObserver): FairQueue {
  /** Who waits. */
  const lines = new Map<string, Waiting[]>();
  /** How much of each client runs. */
  const running = new Map<string, number>();
  /** Which turn each had last, and until when it rests; those who had theirs last stand last. */
  const served = new BoundedMap<string, { turn: number; restsUntil: number }>(knownClients);
  let turns = 0;
  let used = 0;
  let waiting = 0;
  /** The two clients who came last. */
  let latest = { client: "", came: Number.NEGATIVE_INFINITY };
  let other = latest;
  let turnIsDue = false;
  let wakes = false;
  /** Whose work was started in this turn of the event loop, and when the first was. */
  let started: { client: string; wasAlone: boolean }[] = [];
  let startedSince = 0;

  function noteComing(client: string): void {
    if (client !== latest.client) other = latest;
    latest = { client, came: performance.now() };
  }

  function isAlone(client: string): boolean {
    const { came } = client === latest.client ? other : latest;
    return performance.now() - came >= presence;
  }

  function serve(client: string, took = 0): void {
    served.set(client, { turn: ++turns, restsUntil: performance.now() + restFor(took) });
  }

  const rests = (client: string) =>
    (served.get(client)?.restsUntil ?? 0) > performance.now() && !isAlone(client);
  /** While others are there, nobody has two starts in one turn: how long the first takes is not known yet. */
  const mayStart = (client: string, size: number) =>
    !rests(client) &&
    !started.some((one) => one.client === client && !one.wasAlone) &&
    fits(running.get(client) ?? 0, size, limits.share);

  function take(client: string, size: number): void {
    const taken = (running.get(client) ?? 0) + size;
    if (taken === 0) running.delete(client);
    else running.set(client, taken);
    used += size;
  }

  function begin(client: string, size: number): void {
    take(client, size);
    serve(client);
    if (limits.scarce === "work") return;
    if (started.length === 0) startedSince = performance.now();
    started.push({ client, wasAlone: isAlone(client) });
    scheduleTurn();
  }

  /** Only a few are started in a turn of the event loop: who comes last must come in at all. */
  function scheduleTurn(): void {
    if (turnIsDue) return;
    turnIsDue = true;
    setImmediate(takeTurn);
  }

  function takeTurn(): void {
    turnIsDue = false;
    const took = (performance.now() - startedSince) / started.length;
    for (const { client, wasAlone } of started) if (!wasAlone) serve(client, took);
    started = [];
    let count = 0;
    while (count < startedAtOnce && startNext()) count++;
    // Where no more can start, who ends or wakes up looks again.
    if (count === startedAtOnce) scheduleTurn();
    if (!turnIsDue && !wakes && [...lines.keys()].some(rests)) {
      wakes = true;
      setTimeout(wake, 1).unref();
    }
  }

  /** Answers whether there was one that could start. */
  function startNext(): boolean {
    const found = findNext();
    if (found === undefined) return false;
    const [client, next] = found;
    leave(client, next);
    begin(client, next.size);
    next.start();
    return true;
  }

  function wake(): void {
    wakes = false;
    scheduleTurn();
  }

  /** Of those who are not in their own way, the one who has waited for its turn longest. */
  function findNext(): [client: string, next: Waiting] | undefined {
    let found: [client: string, next: Waiting] | undefined;
    let first = Number.POSITIVE_INFINITY;
    for (const [client, [next]] of lines) {
      const turn = served.get(client)?.turn ?? 0;
      if (next === undefined || turn >= first || !mayStart(client, next.size)) continue;
      found = [client, next];
      first = turn;
    }
    // Nobody overtakes who only waits for room: small work would keep large work out for ever.
    return found !== undefined && fits(used, found[1].size, limits.room) ? found : undefined;
  }

  function refuse(): LimitError {
    observer.refused();
    return new LimitError("overloaded", "The service has too much to do right now; try again later.", 2);
  }

  function count(change: number): void {
    waiting += change;
    observer.waiting(waiting);
  }

  function leave(client: string, one: Waiting): void {
    const rest = (lines.get(client) ?? []).filter((other) => other !== one);
    if (rest.length > 0) lines.set(client, rest);
    else lines.delete(client);
    count(-1);
  }

  function wait(client: string, size: number): Promise<void> {
    const line = lines.get(client) ?? [];
    if (waiting >= limits.line || line.length >= limits.lineShare) throw refuse();
    return new Promise<void>((resolve, reject) => {
      const one = {
        size,
        start() {
          clearTimeout(late);
          resolve();
        },
      };
      const late = setTimeout(() => {
        leave(client, one);
        reject(refuse());
        scheduleTurn();
      }, limits.patience).unref();
      lines.set(client, [...line, one]);
      count(1);
      scheduleTurn();
    });
  }

  observer.waiting(0);
  return {
    async run(client, size, work) {
      noteComing(client);
      const isFree = !turnIsDue && lines.size === 0 && fits(used, size, limits.room);
      if (isFree && mayStart(client, size)) begin(client, size);
      else await wait(client, size);
      const since = performance.now();
      try {
        return await work();
      } finally {
        take(client, -size);
        if (limits.scarce === "work" && !isAlone(client)) serve(client, performance.now() - since);
        if (lines.size > 0) scheduleTurn();
      }
    },
  };
}
