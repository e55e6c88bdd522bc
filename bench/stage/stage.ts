import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bytesOf, hex, loadCurve } from "../curve.ts";
import { type Generator, startGenerator } from "../load/generator.ts";
import type { LoadOutcome, LoadTask, Pace, PreparedRequest } from "../load/task.ts";
import type { Options } from "../options.ts";
import { root } from "../repository.ts";
import { type Claim, prepareChain, simulateClaim } from "./chain.ts";
import { type Cores, divideCores } from "./cores.ts";
import { startNode } from "./node.ts";
import { installPacked, type PackedProject } from "./packed.ts";
import { createPeople, signRequests } from "./people.ts";
import { type Server, type ServiceOptions, type Setting, startRival, startService } from "./servers.ts";

/** Everything around the servers that are measured. */
export interface Stage {
  readonly setting: Setting;
  /** The service's program, and the project that it is installed in. */
  readonly program: string;
  readonly project: string;
  /** Sentences for the report: which node, which cores, and what of the service. */
  readonly notes: readonly string[];
  /** Stopped with the stage. */
  startRival(name: string): Promise<Server>;
  startService(options: Omit<ServiceOptions, "program"> & Partial<Pick<Setting, "people">>): Promise<Server>;
  /** Sends requests to a server, and checks every answer. */
  load(server: Server, pace: Pace, work: Work): Promise<LoadOutcome>;
  close(): Promise<void>;
}

export type Work = Pick<LoadTask, "seconds"> & {
  readonly requests: readonly PreparedRequest[];
  readonly atMost?: number;
};

const unpinned: Cores = { one: undefined, several: undefined, description: "Nothing is pinned." };
const fromSource: PackedProject = { program: join(root, "signer/cli/identity-signer.ts"), folder: root };

/**
 * Starts a node, deploys a registry and consumers, and makes people with wallets.
 *
 * @param wanted.pinned Whether the servers have cores of their own; true when left out.
 */
export async function setStage(
  options: Options,
  wanted: { pinned?: boolean; people?: number; consumers?: number } = {},
): Promise<Stage> {
  const { onStep, connections, source } = options;
  const folder = mkdtempSync(join(tmpdir(), "hardhat-identity-bench-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  // Also when it is interrupted.
  process.once("exit", removeFolder);
  const started: { close(): unknown }[] = [{ close: removeFolder }];
  const close = async () => {
    for (const part of started.splice(0).reverse()) await part.close();
  };
  try {
    onStep(source ? "The service is run from its sources" : "Packing the service");
    const { program, folder: project } = source ? fromSource : installPacked(folder);
    const cores = wanted.pinned === false ? unpinned : divideCores(options.workers ?? 1);
    onStep("Starting a node");
    const own = options.rpcUrl === undefined ? await startNode(folder) : undefined;
    if (own !== undefined) started.push({ close: own.stop });
    const signingKey = hex(randomBytes(32));
    const signer = (await loadCurve()).address(bytesOf(signingKey));
    const count = wanted.consumers ?? 1;
    onStep(`Deploying a registry and ${count === 1 ? "a consumer" : `${count} consumers`}`);
    const chain = await prepareChain(own?.rpcUrl ?? options.rpcUrl ?? "", signer, count);
    const generator: Generator = startGenerator();
    started.push(generator);
    const setting: Setting = {
      folder,
      chain,
      signingKey,
      secret: hex(randomBytes(32)),
      people: createPeople(wanted.people ?? options.wallets),
      cores: cores.one,
      curve: options.curve,
    };
    /** One answer of each server is shown to the chain, before time is taken. */
    const keep = async (server: Server, people = setting.people): Promise<Server> => {
      started.push({ close: server.stop });
      const [consumer = ""] = chain.consumers;
      const [request] = signRequests(1, { people, chain, consumers: [consumer] });
      if (request !== undefined) await simulateClaim(chain, consumer, await ask(server, request));
      return server;
    };
    return {
      setting,
      program,
      project,
      notes: [
        cores.description,
        `The node is ${own?.name ?? "one that was there"}.`,
        source ? "The service runs from its sources." : "The service is the packed one.",
      ],
      async startRival(name) {
        onStep(`Starting ${name}`);
        return await keep(await startRival(name, setting));
      },
      async startService({ people = setting.people, ...service }) {
        onStep(`Starting ${service.name}`);
        const pinned = service.workers === undefined ? cores.one : cores.several;
        const server = await startService({ ...setting, people, cores: pinned }, { ...service, program });
        return await keep(server, people);
      },
      load: (server, pace, work) =>
        generator.run({
          ...work,
          url: server.url,
          pid: server.pid,
          pace,
          connections,
          signing: { chainId: chain.chainId, registry: chain.registry, signer },
        }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Asks once, for whoever the request is of. */
async function ask(server: Server, { body, user }: PreparedRequest): Promise<Claim> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.url}/v1/onchain_verifications`, { method: "POST", headers, body });
  if (response.status !== 200)
    throw new Error(`${server.url} answers ${response.status}: ${await response.text()}`);
  const { identityHash, expiration, signature } = (await response.json()) as Claim;
  return { user, identityHash, expiration, signature };
}
