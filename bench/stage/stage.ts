import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bytesOf, hex, loadCurve } from "../curve.ts";
import { type Generator, startGenerator } from "../load/generator.ts";
import type { LoadOutcome, LoadTask, Pace, PreparedRequest } from "../load/task.ts";
import type { Options } from "../options.ts";
import { root } from "../repository.ts";
import { prepareChain } from "./chain.ts";
import { divideCores } from "./cores.ts";
import { startNode } from "./node.ts";
import { installPacked, type PackedProject } from "./packed.ts";
import { createPeople } from "./people.ts";
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

const fromSource: PackedProject = { program: join(root, "tasks/identity-signer.ts"), folder: root };

/**
 * Starts a node, deploys a registry and consumers, and makes people with wallets.
 *
 * @param wanted.cores How many cores the servers are to have.
 */
export async function setStage(
  options: Options,
  wanted: { cores?: number; people?: number; consumers?: number } = {},
): Promise<Stage> {
  const { onStep, connections, source } = options;
  const folder = mkdtempSync(join(tmpdir(), "hardhat-identity-bench-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  // Also when it is interrupted.
  process.once("exit", removeFolder);
  const started: { close(): unknown }[] = [{ close: removeFolder }];
  const keep = (server: Server): Server => {
    started.push({ close: server.stop });
    return server;
  };
  const close = async () => {
    for (const part of started.splice(0).reverse()) await part.close();
  };
  try {
    onStep(source ? "The service is run from its sources" : "Packing the service");
    const { program, folder: project } = source ? fromSource : installPacked(folder);
    const cores = divideCores(wanted.cores ?? 1);
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
      cores: cores.server,
      curve: options.curve,
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
        return keep(await startRival(name, setting));
      },
      async startService({ people = setting.people, ...service }) {
        onStep(`Starting ${service.name}`);
        return keep(await startService({ ...setting, people }, { ...service, program }));
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
