import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Environment } from "../environment/environment.ts";
import { createAnswerCheck } from "../load/answers.ts";
import type { Writes } from "./writes.ts";

/** The outcome of an attempt; "away" is a 503 with `Retry-After`, or a store that cannot be reached. */
export interface Result {
  readonly kind: "done" | "away" | "wrong";
  readonly problem?: string;
}

/** An attempt and its outcome. Times are in milliseconds, by `performance.now()`. */
export interface Attempt {
  /** A request for a verification, a write of a credential, or a write directly to the database. */
  readonly of: "reads" | "writes" | "database";
  readonly sent: number;
  readonly done: number;
  readonly result: Result;
}

export interface Attempts {
  /** All attempts, in the order in which they ended. */
  readonly all: readonly Attempt[];
  /** Starts no further attempts, and waits for those under way. */
  stop(): Promise<void>;
}

const readers = 8;
const writers = 4;
/** Milliseconds between an answer and the next request of the same reader or writer. */
const pauseMs = 20;
/** Milliseconds for a verification. */
const patienceMs = 30_000;
/** Milliseconds for a write to the database. */
const databasePatienceMs = 3_000;

export const describeAttempts = `${readers} people at a time ask for verifications, and ${writers} credentials at a time are written.`;

/** Makes people request verifications, and writes credentials of other people, until it is stopped. */
export function startAttempts(options: {
  readonly environment: Environment;
  /** The URL of the service, or of the proxy in front of it. */
  readonly url: string;
  /** A database with a table `probe (at bigint)`. */
  readonly probeUrl: string;
  readonly writes: Writes;
}): Attempts {
  const { environment, url, writes } = options;
  const check = createAnswerCheck(environment.signing);
  const all: Attempt[] = [];
  let isStopped = false;
  const attempt = async (of: Attempt["of"], work: () => Promise<Result>) => {
    const sent = performance.now();
    const result = await work();
    all.push({ of, sent, done: performance.now(), result });
  };

  async function read(agent: Agent): Promise<Result> {
    const { people } = environment;
    const person = people[Math.floor(Math.random() * people.length)];
    const [asked] = environment.sign(1, { people: person ? [person] : [] });
    if (asked === undefined) throw new Error("Nothing is asked.");
    const { status, retryAfter, body } = await askService(url, asked.body, agent);
    if (status === 503 && /^[1-9]\d*$/.test(retryAfter ?? "")) return { kind: "away" };
    const problem = check(asked, status, body);
    return problem === undefined ? { kind: "done" } : { kind: "wrong", problem };
  }

  async function keepReading(number: number): Promise<void> {
    // The proxy and the service limit each address. A reader exceeds one address's limit, so it has several.
    const agents = Array.from(
      { length: 16 },
      (_, i) => new Agent({ keepAlive: true, localAddress: `127.0.${1 + number}.${1 + i}` }),
    );
    for (let i = 0; !isStopped; await delay(pauseMs), i++) {
      const agent = agents[i % agents.length] as Agent;
      await attempt("reads", () => read(agent));
    }
    for (const agent of agents) agent.destroy();
  }

  async function keepWriting(): Promise<void> {
    for (const next = writes.startWriter(); !isStopped; await delay(pauseMs)) {
      await attempt("writes", () => next().then(() => ({ kind: "done" }), describeFailure));
    }
  }

  async function keepProbing(): Promise<void> {
    const running = new Set<Promise<void>>();
    // Does not wait for earlier probes: one that hangs must not hide that others succeed.
    for (; !isStopped; await delay(200)) {
      const one = attempt("database", () => probe(options.probeUrl)).finally(() => running.delete(one));
      running.add(one);
    }
    await Promise.all(running);
  }

  const loops = [
    ...Array.from({ length: readers }, (_, i) => keepReading(i)),
    ...Array.from({ length: writers }, keepWriting),
    keepProbing(),
  ];
  return {
    all,
    async stop() {
      isStopped = true;
      await Promise.all(loops);
    },
  };
}

/** Classifies a failed write. A store that is away fails with one type of error only. */
const describeFailure = (error: unknown): Result =>
  error instanceof Error && error.name === "StoreUnavailableError"
    ? { kind: "away" }
    : { kind: "wrong", problem: String(error) };

/** An answer; status 0 and the reason if there was none. */
interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/**
 * Requests a verification from a service. A proxy may close an idle connection just as a request is sent on it, so that
 * request is sent again, as browsers do (RFC 9112, section 9.3.1).
 */
export function askService(url: string, body: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ status: 0, retryAfter: undefined, body: error.message });
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const options = { method: "POST", agent, headers, timeout: patienceMs };
    const sent = request(`${url}/v1/onchain_verifications`, options, (response) => {
      const { statusCode: status = 0, headers: given } = response;
      text(response).then((received) => {
        resolve({ status, retryAfter: given["retry-after"], body: received });
      }, fail);
    });
    sent.once("timeout", () => sent.destroy(new Error(`There was no answer in ${patienceMs} ms.`)));
    sent.once("error", (error: NodeJS.ErrnoException) => {
      if (sent.reusedSocket && error.code === "ECONNRESET") resolve(askService(url, body, agent));
      else fail(error);
    });
    sent.end(body);
  });
}

/** Writes to a database over a new connection. */
async function probe(connectionString: string): Promise<Result> {
  const limits = { connectionTimeoutMillis: databasePatienceMs, query_timeout: databasePatienceMs };
  const client = new pg.Client({ connectionString, ...limits });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("insert into probe values ($1)", [Date.now()]);
    return { kind: "done" };
  } catch {
    return { kind: "away" };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Returns the milliseconds from a moment until the last recovery: until the first success that began after the last
 * failure. 0 if nothing failed, and undefined if nothing has succeeded since.
 */
export function measureOutage(attempts: readonly Omit<Attempt, "of">[], since: number): number | undefined {
  const isGood = ({ result: { kind } }: Omit<Attempt, "of">) => kind === "done";
  const failed = attempts.filter((one) => !isGood(one) && one.done >= since);
  if (failed.length === 0) return 0;
  const last = Math.max(...failed.map(({ sent }) => sent));
  const good = attempts.filter((one) => isGood(one) && one.sent > last);
  return good.length === 0 ? undefined : Math.min(...good.map(({ done }) => done)) - since;
}
