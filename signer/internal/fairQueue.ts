import { ServiceError } from "./serviceError.ts";

/** Lets strangers' work wait for its turn, so that no client takes the service away from the others. */
export interface FairQueue {
  /**
   * Runs work once there is room for it.
   *
   * @param client Whose it is; clients take turns.
   * @param size How much of the room it takes. What is larger than a client's share runs when nothing else of it does.
   * @throws ServiceError `overloaded` when too much waits already, or it has waited too long.
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
}

/** Milliseconds; a turn of the event loop that takes no longer had nothing to do. */
const idleTurn = 0.02;

interface Waiting {
  readonly size: number;
  start(): void;
}

const fits = (used: number, size: number, limit: number) => used === 0 || used + size <= limit;

/** What is told of a queue. */
export interface QueueObserver {
  /** How many wait now. */
  waiting(count: number): void;
  refused(): void;
}

export function fairQueue(limits: QueueLimits, observer: QueueObserver): FairQueue {
  /** Who waits, in the order of their turns. */
  const lines = new Map<string, Waiting[]>();
  /** How much of each client runs. */
  const running = new Map<string, number>();
  let used = 0;
  let waiting = 0;
  let turnIsDue = false;
  let lastTurn = 0;
  let hasStarted = false;
  /** Who had the last turn, and how long what was started had the event loop. */
  let last = { client: "", ended: 0, took: 0 };
  /** The two who came last. */
  let latest: { client: string; came: number }[] = [];

  function refuse(): ServiceError {
    observer.refused();
    return new ServiceError("overloaded", "The service has too much to do right now; try again later.", {
      retryAfter: 2,
    });
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

  function take(client: string, size: number): void {
    const taken = (running.get(client) ?? 0) + size;
    if (taken === 0) running.delete(client);
    else running.set(client, taken);
    used += size;
  }

  /**
   * Starts one at a time, and then lets everything else have the event loop for as long as that one took, or until
   * nothing else wants it: Node accepts one connection in a turn of its loop, and who comes last must come in at all.
   */
  function scheduleTurn(): void {
    if (turnIsDue) return;
    turnIsDue = true;
    lastTurn = performance.now();
    setImmediate(turn);
  }

  function turn(): void {
    const now = performance.now();
    const took = now - lastTurn;
    lastTurn = now;
    if (hasStarted) last = { ...last, ended: now, took };
    hasStarted = false;
    if (now < last.ended + last.took && took > idleTurn) return void setImmediate(turn);
    // While others are there, one client has a quarter of the time: they are not to find it at work at every step.
    const rests = now < last.ended + 3 * last.took && hasOthers(last.client, now);
    const found = findNext(rests ? last.client : undefined);
    if (found === undefined && rests && lines.has(last.client)) return void setTimeout(turn, 1).unref();
    turnIsDue = false;
    if (found === undefined) return;
    const [client, next] = found;
    leave(client, next);
    const line = lines.get(client);
    if (line !== undefined) {
      lines.delete(client);
      lines.set(client, line);
    }
    take(client, next.size);
    last = { client, ended: now, took: 0 };
    hasStarted = true;
    next.start();
    scheduleTurn();
  }

  /** Whether anybody else has come lately. */
  function hasOthers(client: string, now: number): boolean {
    return latest.some((one) => one.client !== client && now - one.came < 1_000);
  }

  function noteComing(client: string): void {
    const other = latest.find((one) => one.client !== client);
    latest = [{ client, came: performance.now() }, ...(other === undefined ? [] : [other])];
  }

  function findNext(resting: string | undefined): [client: string, next: Waiting] | undefined {
    for (const [client, [next]] of lines) {
      if (next === undefined || client === resting) continue;
      if (!fits(running.get(client) ?? 0, next.size, limits.share)) continue;
      // Nobody overtakes who only waits for room: small work would keep large work out for ever.
      return fits(used, next.size, limits.room) ? [client, next] : undefined;
    }
    return undefined;
  }

  observer.waiting(0);
  return {
    async run(client, size, work) {
      noteComing(client);
      const line = lines.get(client) ?? [];
      if (waiting >= limits.line || line.length >= limits.lineShare) throw refuse();
      await new Promise<void>((resolve, reject) => {
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
      try {
        return await work();
      } finally {
        take(client, -size);
        scheduleTurn();
      }
    },
  };
}
