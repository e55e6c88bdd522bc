import { BoundedMap } from "../../../chain/boundedMap.ts";
import { LimitError } from "./limitError.ts";

/** A queue in which clients take turns, so that none of them can keep the service from the others. */
export interface FairQueue {
  /**
   * Runs work when there is room for it, without a wait if there is now.
   *
   * @param client The client that asked for the work.
   * @param size How much of the room it takes. Work larger than a client's share runs when none of the client's other
   * work does.
   * @throws LimitError `overloaded` when too much work waits already, or this work has waited too long.
   */
  run<T>(client: string, size: number, work: () => Promise<T>): Promise<T>;
}

export interface QueueLimits {
  /** The total size of running work: of all clients, and of one. */
  readonly room: number;
  readonly share: number;
  /** The number of waiting pieces of work: of all clients, and of one. */
  readonly line: number;
  readonly lineShare: number;
  /** Milliseconds for which work may wait. */
  readonly patience: number;
  /** The scarce time: the event loop's, in which work takes turns, or that of the system that the work waits for. */
  readonly scarce: "loop" | "work";
}

/** Observes a queue, for metrics. */
export interface QueueObserver {
  /** Called with the number of waiting pieces of work. */
  waiting(count: number): void;
  refused(): void;
}

/**
 * Milliseconds for which a client rests after its work while other clients are active: three times as long as the work
 * took, so that the client gets a quarter of the scarce time. At most 200, because a slow answer does not mean that the
 * other side was busy all the time.
 */
const restFor = (took: number) => Math.min(3 * took, 200);

/** Milliseconds for which a client counts as active after its latest request. */
const presence = 1_000;

/** The number of starts in one turn of the event loop. A turn costs about as much as a start. */
const startedAtOnce = 4;

/** The greatest number of clients whose last turn is remembered. Any other client counts as never served. */
const knownClients = 1_000;

interface Waiting {
  readonly size: number;
  start(): void;
}

const fits = (used: number, size: number, limit: number) => used === 0 || used + size <= limit;

export function fairQueue(limits: QueueLimits, observer: QueueObserver): FairQueue {
  /** The waiting work of each client. */
  const lines = new Map<string, Waiting[]>();
  /** The size of each client's running work. */
  const running = new Map<string, number>();
  /** The last turn of each client and the end of its rest. */
  const served = new BoundedMap<string, { turn: number; restsUntil: number }>(knownClients);
  let turns = 0;
  let used = 0;
  let waiting = 0;
  /** The two clients with the latest requests. */
  let latest = { client: "", came: Number.NEGATIVE_INFINITY };
  let other = latest;
  let turnIsDue = false;
  let wakes = false;
  /** The clients whose work was started in this turn of the event loop, and the time of the first start. */
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
  /** While others are active, a client gets one start in a turn: the duration of the first is not known yet. */
  const mayStart = (client: string, size: number) =>
    !rests(client) &&
    !started.some((one) => one.client === client && !one.wasAlone) &&
    fits(running.get(client) ?? 0, size, limits.share);

  function take(client: string, size: number): void {
    const taken = (running.get(client) ?? 0) + size;
    running.set(client, taken);
    used += size;
    // Not each time, for the reason that BoundedMap gives.
    if (running.size <= knownClients) return;
    for (const [idle, size] of running) if (size === 0) running.delete(idle);
  }

  function begin(client: string, size: number): void {
    take(client, size);
    serve(client);
    if (limits.scarce === "work") return;
    if (started.length === 0) startedSince = performance.now();
    started.push({ client, wasAlone: isAlone(client) });
    scheduleTurn();
  }

  /** Starts only a few in a turn of the event loop, so that new requests are still accepted. */
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
    // Read first: a rest that ends below would otherwise be missed by both, and its client would wait for ever.
    const anyRests = [...lines.keys()].some(rests);
    let count = 0;
    while (count < startedAtOnce && startNext()) count++;
    // If nothing more can start now, the end of running work or a wake-up schedules the next turn.
    if (count === startedAtOnce) scheduleTurn();
    if (!turnIsDue && !wakes && anyRests) {
      wakes = true;
      setTimeout(wake, 1).unref();
    }
  }

  /** Starts the next work, and returns whether there was any that could start. */
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

  /** Returns the next work: of the clients that may start one, that of the client whose last turn is longest ago. */
  function findNext(): [client: string, next: Waiting] | undefined {
    let found: [client: string, next: Waiting] | undefined;
    let first = Number.POSITIVE_INFINITY;
    for (const [client, [next]] of lines) {
      const turn = served.get(client)?.turn ?? 0;
      if (next === undefined || turn >= first || !mayStart(client, next.size)) continue;
      found = [client, next];
      first = turn;
    }
    // Nothing overtakes work that only waits for room: otherwise small work would keep large work waiting for ever.
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
    const line = lines.get(client) ?? [];
    line.splice(line.indexOf(one), 1);
    if (line.length === 0) lines.delete(client);
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
        // The process may have stood still, so this work may start now instead.
        scheduleTurn();
        setImmediate(() => {
          if (!line.includes(one)) return;
          leave(client, one);
          reject(refuse());
          scheduleTurn();
        });
      }, limits.patience).unref();
      line.push(one);
      lines.set(client, line);
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
