import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hideLocalNode, serveProxy } from "../../test/fixtures/chain/proxy.ts";
import { requestVerification } from "../../test/fixtures/signer/signIn.ts";
import { addressOf, bytesOf, hex } from "../load/curve.ts";
import { type Generator, startGenerator } from "../load/generate.ts";
import type { LoadOutcome, LoadTask, Pace, PreparedRequest, Signing } from "../load/task.ts";
import { mineBlocks, prepareChain, simulateClaim } from "./chain.ts";
import { describeMachine, type Machine, reserveCore } from "./machine.ts";
import { startNode } from "./node.ts";
import type { Options } from "./options.ts";
import { createPeople, type Person, signRequests } from "./people.ts";
import {
  type Common,
  type Rival,
  type Server,
  type ServiceOptions,
  startRival,
  startService,
} from "./servers.ts";

/** The people and the consumers of requests; by default all people and the first consumer. */
interface Of {
  readonly people?: readonly Person[];
  readonly consumers?: readonly string[];
}

/** Everything around the measured servers: a node, a registry, consumers, people, a load generator. */
export interface Environment extends Common {
  /** The people with a credential. */
  readonly people: readonly Person[];
  readonly signing: Signing;
  readonly machine: Machine;
  /** Sentences for the report on the cores and the node. */
  readonly notes: readonly string[];
  sign(count: number, of?: Of): PreparedRequest[];
  /** Starts one of bench/rivals. */
  startRival(rival: Rival): Promise<Server>;
  /** Starts the service, with a credential of each person in its store. */
  startService(service: ServiceOptions): Promise<Server>;
  /** Sends requests to a server, and checks every answer. */
  load(server: Server, pace: Pace, work: Work): Promise<LoadOutcome>;
  /** Registers a part to be stopped with the environment, the last one first. */
  keep<Part extends { stop(): unknown }>(part: Part): Part;
  close(): Promise<void>;
}

export type Work = Pick<LoadTask, "requests" | "seconds" | "atMost"> & Partial<Pick<LoadTask, "connections">>;

/** The needs of a scenario. */
export interface Needs {
  /** Whether the servers have a core of their own; true by default. */
  readonly pinned?: boolean;
  /** The number of consumers; one by default. */
  readonly consumers?: number;
  /** The parent of its folder; by default, the system's folder for temporary files. */
  readonly within?: string;
}

export async function createEnvironment(options: Options, needs: Needs = {}): Promise<Environment> {
  const { onStep } = options;
  const most = options.connections.at(-1) ?? 1;
  const folder = mkdtempSync(join(needs.within ?? tmpdir(), "identity-bench-"));
  chmodSync(folder, 0o755);
  const started: { stop(): unknown }[] = [];
  const keep = <Part extends { stop(): unknown }>(part: Part): Part => {
    started.push(part);
    return part;
  };
  const close = async () => {
    for (const part of started.splice(0).reverse()) await part.stop();
  };
  const { stop: removeFolder } = keep({
    stop: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  });
  // Also after an interruption.
  process.once("exit", removeFolder);
  try {
    const { core, description } =
      needs.pinned === false ? { core: undefined, description: "Nothing is pinned." } : reserveCore();
    onStep("Starting a node");
    const node = options.rpcUrl === undefined ? keep(await startNode(folder)) : undefined;
    const [signingKey, secret] = [hex(randomBytes(32)), hex(randomBytes(32))];
    const signer = addressOf(bytesOf(signingKey));
    onStep("Deploying a registry and consumers");
    const nodeUrl = node?.rpcUrl ?? options.rpcUrl ?? "";
    // A deployed service reads a public chain, and keeps nothing that it read from a development node.
    const shown = await serveProxy(nodeUrl, hideLocalNode);
    keep({ stop: shown.close });
    const chain = await prepareChain({ nodeUrl, rpcUrl: shown.url }, signer, needs.consumers ?? 1);
    keep(mineBlocks(nodeUrl));
    const [first] = chain.consumers;
    const generator: Generator = keep(startGenerator());
    const people = createPeople(options.wallets);
    const common: Common = { folder, chain, signingKey, secret, core };
    const { chainId, registry } = chain;
    const signing = { chainId, registry, signer };
    const sign = (count: number, { people: who = people, consumers = [first] }: Of = {}) =>
      signRequests(count, { people: who, chainId, consumers });
    /** Simulates a claim with one answer of the server, before the measurement. */
    const check = async (server: Server): Promise<Server> => {
      keep(server);
      const [{ body, user } = { body: "", user: "" }] = sign(1);
      const { status, body: answer } = await requestVerification(server.url, body);
      if (status !== 200) throw new Error(`${server.url} answers ${status}: ${JSON.stringify(answer)}`);
      await simulateClaim(chain, first, { user, ...answer });
      return server;
    };
    return {
      ...common,
      machine: describeMachine(),
      people,
      signing,
      sign,
      keep,
      close,
      notes: [description, `The node is ${node?.name ?? "one that was there"}.`],
      async startRival(rival) {
        onStep(`Starting ${rival}`);
        return await check(await startRival(common, rival, people));
      },
      async startService(service) {
        onStep(`Starting ${service.name}`);
        return await check(await startService(common, service, people));
      },
      load: (server, pace, work) =>
        generator.run({ connections: most, ...work, url: server.url, pid: server.pid, pace, signing }),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
