import { ServiceError } from "../errors/serviceError.ts";

export interface QueueLimits {
  /** The total size of running jobs: of all clients, and of one. */
  readonly room: number;
  readonly share: number;
  /** The number of waiting jobs: of all clients, and of one. */
  readonly line: number;
  readonly lineShare: number;
  /** For how long a job may wait. */
  readonly waitMs: number;
  /** The scarce time: the event loop's, in which jobs take turns, or that of the system that the jobs wait for. */
  readonly scarce: "loop" | "job";
}

/**
 * For how long a client rests after its job while other clients are active: three times as long as the job took, so that
 * the client gets a quarter of the scarce time. At most 200 ms: a slow answer does not mean that the other side was busy
 * all the time.
 */
const restMs = (tookMs: number) => Math.min(3 * tookMs, 200);

/** For how long a client counts as active after its latest request. */
const activeMs = 1_000;

/** The number of starts in one turn of the event loop. A turn costs about as much as a start. */
const startsPerTurn = 4;

/** The number of clients after which idle ones are forgotten. A forgotten client counts as never served. */
const maxClients = 2_000;

interface Client {
  readonly line: Waiting[];
  /** The size of its running jobs. */
  running: number;
  /** When it was served last: the number of the turn, and until when it rests from that. */
  turn: number;
  restsUntil: number;
}

interface Waiting {
  readonly size: number;
  readonly start: () => void;
}

export type FairQueue = ReturnType<typeof fairQueue>;

/**
 * A queue in which clients take turns, so that none of them can keep the service from the others.
 *
 * @param onRefusal Called for each refusal, for metrics. It may return the error to refuse with, where something else than
 * too many jobs is to blame.
 */
export function fairQueue(limits: QueueLimits, onRefusal: () => Error | undefined) {
  const clients = new Map<string, Client>();
  /** The clients with waiting jobs. */
  const inLine = new Set<Client>();
  let used = 0;
  let waiting = 0;
  let turns = 0;
  /** The two clients with the latest requests. */
  let latest: { client?: Client; at: number } = { at: Number.NEGATIVE_INFINITY };
  let latestOther = latest;
  /** The number of starts in this turn of the event loop. */
  let starts = 0;
  /** The time of the first of them, by `performance.now()`. */
  let startedAt = 0;
  /** The clients that were started in this turn, and share its time. */
  const sharing = new Set<Client>();
  let isTurnDue = false;
  let wakes = false;

  return {
    /** The number of waiting jobs. */
    waiting: () => waiting,
    /**
     * Runs a job when there is room for it, without a wait if there is now.
     *
     * @param name The client that asked for the job.
     * @param size How much of the room it takes. A job larger than a client's share runs when none of the client's other
     * jobs does.
     * @throws ServiceError `overloaded` when too many jobs wait already, or this one has waited too long; or
     * the error of `onRefusal`.
     */
    async runJob<T>(name: string, size: number, job: () => Promise<T>): Promise<T> {
      const client = find(name);
      noteRequest(client);
      const isFree = inLine.size === 0 && !isTurnDue && fits(used, size, limits.room);
      if (isFree && mayStart(client, size)) begin(client, size);
      else await wait(client, size);
      const since = performance.now();
      try {
        return await job();
      } finally {
        take(client, -size);
        if (limits.scarce === "job" && !isAlone(client)) serve(client, performance.now() - since);
        if (inLine.size > 0) scheduleTurn();
      }
    },
  };

  // Clients

  function find(name: string): Client {
    const known = clients.get(name);
    if (known !== undefined) return known;
    if (clients.size >= maxClients) forgetIdle();
    const client = { line: [], running: 0, turn: 0, restsUntil: 0 };
    clients.set(name, client);
    return client;
  }

  /** All at once and seldom, for the reason that BoundedMap gives. */
  function forgetIdle(): void {
    for (const [name, { line, running, restsUntil }] of clients) {
      if (line.length === 0 && running === 0 && restsUntil <= performance.now()) clients.delete(name);
    }
  }

  function noteRequest(client: Client): void {
    if (client !== latest.client) latestOther = latest;
    latest = { client, at: performance.now() };
  }

  /** Whether no other client has been active lately. */
  function isAlone(client: Client): boolean {
    const { at } = client === latest.client ? latestOther : latest;
    return performance.now() - at >= activeMs;
  }

  function rests(client: Client): boolean {
    return client.restsUntil > performance.now() && !isAlone(client);
  }

  /** While others are active, a client gets one start in a turn: the duration of the first is not known yet. */
  function mayStart(client: Client, size: number): boolean {
    return !rests(client) && !sharing.has(client) && fits(client.running, size, limits.share);
  }

  function serve(client: Client, tookMs = 0): void {
    client.turn = ++turns;
    client.restsUntil = performance.now() + restMs(tookMs);
  }

  function take(client: Client, size: number): void {
    client.running += size;
    used += size;
  }

  // Waiting

  function wait(client: Client, size: number): Promise<void> {
    if (waiting >= limits.line || client.line.length >= limits.lineShare) throw refuse();
    return new Promise<void>((resolve, reject) => {
      const one = {
        size,
        start() {
          clearTimeout(late);
          resolve();
        },
      };
      const late = setTimeout(() => {
        // The process may have stood still, so this job may start now instead.
        scheduleTurn();
        setImmediate(() => {
          if (!client.line.includes(one)) return;
          leave(client, one);
          reject(refuse());
          scheduleTurn();
        });
      }, limits.waitMs).unref();
      client.line.push(one);
      inLine.add(client);
      waiting++;
      scheduleTurn();
    });
  }

  function leave(client: Client, one: Waiting): void {
    client.line.splice(client.line.indexOf(one), 1);
    if (client.line.length === 0) inLine.delete(client);
    waiting--;
  }

  function refuse(): Error {
    const overloaded = new ServiceError(
      "overloaded",
      "The service is at its limit; retry in a few seconds.",
      { retryAfter: 2 },
    );
    return onRefusal() ?? overloaded;
  }

  // Turns

  function begin(client: Client, size: number): void {
    take(client, size);
    serve(client);
    if (limits.scarce === "job") return;
    if (starts++ === 0) startedAt = performance.now();
    if (!isAlone(client)) sharing.add(client);
    scheduleTurn();
  }

  /** Starts only a few in a turn of the event loop, so that new requests are still accepted. */
  function scheduleTurn(): void {
    if (isTurnDue) return;
    isTurnDue = true;
    setImmediate(takeTurn);
  }

  function takeTurn(): void {
    isTurnDue = false;
    const tookMs = (performance.now() - startedAt) / starts;
    for (const client of sharing) serve(client, tookMs);
    sharing.clear();
    starts = 0;
    // Read first: if a rest ended while jobs start below, neither they nor a wake-up would see it, and its client would wait
    // for ever.
    const someRest = [...inLine].some(rests);
    let count = 0;
    while (count < startsPerTurn && startNext()) count++;
    // If nothing more can start now, the end of a running job or a wake-up schedules the next turn.
    if (count === startsPerTurn) scheduleTurn();
    if (!isTurnDue && !wakes && someRest) {
      wakes = true;
      setTimeout(wake, 1).unref();
    }
  }

  function wake(): void {
    wakes = false;
    scheduleTurn();
  }

  /** Starts the next job, and returns whether there was one that could start. */
  function startNext(): boolean {
    const client = findNext();
    const next = client?.line[0];
    // No job overtakes one that waits for room: otherwise small jobs would keep a large one waiting for ever.
    if (client === undefined || next === undefined || !fits(used, next.size, limits.room)) return false;
    leave(client, next);
    begin(client, next.size);
    next.start();
    return true;
  }

  /** Of the clients whose next job may start, the one that was served longest ago. */
  function findNext(): Client | undefined {
    let found: Client | undefined;
    for (const client of inLine) {
      const [next] = client.line;
      if (next === undefined || client.turn >= (found?.turn ?? Number.POSITIVE_INFINITY)) continue;
      if (mayStart(client, next.size)) found = client;
    }
    return found;
  }
}

const fits = (used: number, size: number, limit: number) => used === 0 || used + size <= limit;
