import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { CredentialStore } from "../../signer/index.ts";
import type { Claim } from "../environment/chain.ts";
import type { Environment } from "../environment/environment.ts";
import { type Person, provider } from "../environment/people.ts";
import { type Answer, createAnswerCheck, type Result } from "./answers.ts";
import { type Participants, write } from "./participants.ts";

/** An attempt and its outcome. Times are in milliseconds, by `performance.now()`. */
export interface Attempt {
  /** A read of a verification, a write of a credential, or a write directly to the database. */
  readonly of: "reads" | "writes" | "database";
  readonly sent: number;
  readonly done: number;
  readonly result: Result;
}

export interface Attempts {
  /** All attempts, in the order in which they ended. */
  readonly all: readonly Attempt[];
  /** Returns verifications to simulate on the chain, with their consumers, and forgets them. */
  takeSamples(): { claim: Claim; consumer: string }[];
  /** Starts no further attempts, and waits for those under way. */
  stop(): Promise<void>;
}

/** Milliseconds between an answer and the next request of the same reader or writer. */
const pause = 20;
/** One of this many verifications is simulated on the chain. */
const sampled = 50;
/** Milliseconds: the timeout of a verification, and that of a write to the database. */
const [patience, databasePatience] = [30_000, 3_000];

/** Makes people request verifications, and writes credentials of other people, until it is stopped. */
export function startAttempts(options: {
  readonly environment: Environment;
  /** The URL of the service, or of the proxy in front of it. */
  readonly url: string;
  readonly store: CredentialStore;
  /** A database with a table `probe (at bigint)`. */
  readonly probeUrl: string;
  readonly participants: Participants;
  readonly readers: number;
  readonly writers: number;
}): Attempts {
  const { environment, url, store, participants } = options;
  const { signing, secret, chain } = environment;
  const check = createAnswerCheck({ ...signing, secret, provider, lifetime: 300 });
  const all: Attempt[] = [];
  const samples: ReturnType<Attempts["takeSamples"]> = [];
  let issued = 0;
  let isStopped = false;
  const attempt = async (of: Attempt["of"], work: () => Promise<Result>) => {
    const sent = performance.now();
    const result = await work();
    all.push({ of, sent, done: performance.now(), result });
  };

  async function read(agent: Agent): Promise<Result> {
    const person = participants.choose();
    const [consumer] = chain.consumers;
    const [asked] = environment.sign(1, { people: [person] });
    if (asked === undefined) throw new Error("Nothing is asked.");
    const settled = participants.ledger.settled(person.wallet);
    const answer = await ask(url, asked.body, agent);
    const accounts = participants.ledger.since(person.wallet, settled);
    const result = check({ request: asked, consumer, accounts }, answer);
    if (result.kind === "issued" && issued++ % sampled === 0) {
      samples.push({ claim: { user: person.wallet, ...JSON.parse(answer.body) }, consumer });
    }
    return result;
  }

  async function keepReading(number: number): Promise<void> {
    // The proxy and the service limit each address. A reader exceeds one address's limit, so it has several.
    const agents = Array.from(
      { length: 16 },
      (_, i) => new Agent({ keepAlive: true, localAddress: `127.0.${1 + (number % 250)}.${1 + i}` }),
    );
    for (let i = 0; !isStopped; await delay(pause), i++) {
      const agent = agents[i % agents.length] as Agent;
      await attempt("reads", () => read(agent));
    }
    for (const agent of agents) agent.destroy();
  }

  async function keepWriting(): Promise<void> {
    const own: Person[] = [];
    for (let i = 0; !isStopped; i++) {
      // Two of three writes replace or erase an earlier credential.
      if (i % 3 === 0) own.push(participants.add());
      const person = i % 3 === 0 ? own.at(-1) : own[Math.floor(Math.random() * own.length)];
      if (person === undefined) continue;
      const account = i % 6 === 2 ? undefined : { id: `${person.wallet} ${i}`, isEnough: true };
      await attempt("writes", () =>
        write(store, participants.ledger, person.wallet, account).then(
          () => ({ kind: "issued" }),
          describeFailure,
        ),
      );
      if (own.length > 30) own.shift();
      await delay(pause);
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
    ...Array.from({ length: options.readers }, (_, i) => keepReading(i)),
    ...Array.from({ length: options.writers }, keepWriting),
    keepProbing(),
  ];
  return {
    all,
    takeSamples: () => samples.splice(0),
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

/** Requests a verification from a service. */
function ask(url: string, body: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ status: 0, retryAfter: undefined, body: error.message });
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const options = { method: "POST", agent, headers, timeout: patience };
    const sent = request(`${url}/v1/onchain_verifications`, options, (response) => {
      const { statusCode: status = 0, headers: given } = response;
      text(response).then((received) => {
        resolve({ status, retryAfter: given["retry-after"], body: received });
      }, fail);
    });
    sent.once("timeout", () => sent.destroy(new Error(`There was no answer in ${patience} ms.`)));
    sent.once("error", fail);
    sent.end(body);
  });
}

/** Writes to a database over a new connection. */
async function probe(connectionString: string): Promise<Result> {
  const limits = { connectionTimeoutMillis: databasePatience, query_timeout: databasePatience };
  const client = new pg.Client({ connectionString, ...limits });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("insert into probe values ($1)", [Date.now()]);
    return { kind: "issued" };
  } catch {
    return { kind: "away" };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Returns the milliseconds from a moment until the last recovery: until the first success that began after the last
 * failure. 0 if nothing failed, and undefined if nothing has succeeded since. A refusal counts as neither, because it
 * writes nothing and so also comes when no verification could be issued.
 */
export function measureOutage(attempts: readonly Omit<Attempt, "of">[], since: number): number | undefined {
  const isGood = ({ result: { kind } }: Omit<Attempt, "of">) => kind === "issued";
  const isFailed = ({ result: { kind } }: Omit<Attempt, "of">) => kind === "away" || kind === "wrong";
  const failed = attempts.filter((one) => isFailed(one) && one.done >= since).map(({ sent }) => sent);
  if (failed.length === 0) return 0;
  const last = Math.max(...failed);
  const good = attempts.filter((one) => isGood(one) && one.sent > last).map(({ done }) => done);
  return good.length === 0 ? undefined : Math.min(...good) - since;
}
