import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { CredentialStore } from "../../signer/index.ts";
import type { Signing } from "../load/task.ts";
import type { Chain, Claim } from "../stage/chain.ts";
import { type Person, signRequests } from "../stage/people.ts";
import { policy } from "../stage/policy.ts";
import { ask } from "./ask.ts";
import { type Crowd, write } from "./crowd.ts";
import { createJudge, type Verdict } from "./judge.ts";

/** One request, or one write, and what became of it. Milliseconds, as `performance.now()` tells them. */
export interface Attempt {
  readonly of: "reads" | "writes";
  readonly sent: number;
  readonly done: number;
  readonly verdict: Verdict;
}

export interface Load {
  /** In the order in which they ended. */
  readonly attempts: readonly Attempt[];
  /** Verifications for the chain to judge, and of which consumer; they are taken out of the list. */
  takeSamples(): { claim: Claim; consumer: string }[];
  /** Lets what is under way end. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  /** The service, or what is in front of it. */
  readonly url: string;
  readonly chain: Chain;
  readonly store: CredentialStore;
  readonly crowd: Crowd;
  readonly signing: Signing;
  /** The master secret. */
  readonly secret: string;
  readonly readers: number;
  readonly writers: number;
}

/** Milliseconds between an answer and the next request of the same reader or writer. */
const pause = 20;
/** One in so many verifications is shown to the chain. */
const sampled = 50;

/** Has people ask for verifications, and others be written about, until it is stopped. */
export function startLoad(options: LoadOptions): Load {
  const { url, chain, store, crowd, signing, secret } = options;
  const judge = createJudge({ ...signing, secret, provider: policy.provider, lifetime: 300 });
  const attempts: Attempt[] = [];
  let samples: { claim: Claim; consumer: string }[] = [];
  let issued = 0;
  let isStopped = false;

  async function read(agent: Agent): Promise<void> {
    const person = crowd.choose();
    const [consumer = ""] = chain.consumers;
    const [request] = signRequests(1, { people: [person], chain, consumers: [consumer] });
    if (request === undefined) throw new Error("Nothing is asked.");
    const place = crowd.ledger.settled(person.wallet);
    const sent = performance.now();
    const answer = await ask(url, request.body, agent);
    const done = performance.now();
    const verdict = judge({ request, consumer, accounts: crowd.ledger.since(person.wallet, place) }, answer);
    attempts.push({ of: "reads", sent, done, verdict });
    if (verdict.kind === "issued" && issued++ % sampled === 0) {
      samples.push({ claim: { user: person.wallet, ...JSON.parse(answer.body) }, consumer });
    }
  }

  async function keepReading(number: number): Promise<void> {
    // A service may hold that one address is one client.
    const agent = new Agent({ keepAlive: true, localAddress: `127.0.0.${2 + (number % 250)}` });
    while (!isStopped) {
      await read(agent);
      await delay(pause);
    }
    agent.destroy();
  }

  async function keepWriting(): Promise<void> {
    const own: Person[] = [];
    for (let i = 0; !isStopped; i++) {
      // Two of three writes are about somebody who has something: they replace it, or erase it.
      const isNew = i % 3 === 0;
      const person = isNew ? crowd.add() : own[Math.floor(Math.random() * own.length)];
      if (person === undefined) continue;
      if (isNew) own.push(person);
      const account =
        i % 3 === 2 && i % 2 === 0 ? undefined : { id: `${person.wallet} ${i}`, isEnough: true };
      const sent = performance.now();
      const verdict: Verdict = await write(store, crowd.ledger, person.wallet, account).then(
        () => ({ kind: "issued" }),
        describeFailure,
      );
      attempts.push({ of: "writes", sent, done: performance.now(), verdict });
      if (own.length > 30) own.shift();
      await delay(pause);
    }
  }

  const loops = [
    ...Array.from({ length: options.readers }, (_, i) => keepReading(i)),
    ...Array.from({ length: options.writers }, keepWriting),
  ];
  return {
    attempts,
    takeSamples() {
      const taken = samples;
      samples = [];
      return taken;
    },
    async stop() {
      isStopped = true;
      await Promise.all(loops);
    },
  };
}

/** A store that is away says so in one way. */
const describeFailure = (error: unknown): Verdict =>
  error instanceof Error && error.name === "StoreUnavailableError"
    ? { kind: "away", code: "store_unavailable" }
    : { kind: "wrong", problem: String(error) };
