import { ServiceError } from "./serviceError.ts";

/** Lets strangers' work wait for its turn, so that no client takes the service away from the others. */
export interface FairQueue {
  /**
   * Runs work once there is room for it.
   *
   * @param client Whose it is; clients take turns.
   * @param size How much of the room it takes; what takes more than a client's share counts as all of it.
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
  let othersUntil = 0;

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
    if (hasStarted) othersUntil = now + took;
    hasStarted = false;
    if (now < othersUntil && took > idleTurn) return void setImmediate(turn);
    othersUntil = 0;
    turnIsDue = false;
    const found = findNext();
    if (found === undefined) return;
    const [client, next] = found;
    leave(client, next);
    const line = lines.get(client);
    if (line !== undefined) {
      lines.delete(client);
      lines.set(client, line);
    }
    take(client, next.size);
    hasStarted = true;
    next.start();
    scheduleTurn();
  }

  function findNext(): [client: string, next: Waiting] | undefined {
    for (const [client, [next]] of lines) {
      if (next === undefined || (running.get(client) ?? 0) + next.size > limits.share) continue;
      // Nobody overtakes who only waits for room: small work would keep large work out for ever.
      return used + next.size > limits.room ? undefined : [client, next];
    }
    return undefined;
  }

  observer.waiting(0);
  return {
    async run(client, size, work) {
      const line = lines.get(client) ?? [];
      if (waiting >= limits.line || line.length >= limits.lineShare) throw refuse();
      const taken = Math.min(size, limits.share);
      await new Promise<void>((resolve, reject) => {
        const one = {
          size: taken,
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
        take(client, -taken);
        scheduleTurn();
      }
    },
  };
}
