import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type CredentialStore, openCredentialStore } from "../../signer/index.ts";
import { bytesOf, hex, loadCurve } from "../curve.ts";
import type { Signing } from "../load/task.ts";
import { root } from "../repository.ts";
import { type Chain, prepareChain } from "../stage/chain.ts";
import { type Node, startNode } from "../stage/node.ts";
import { installPacked } from "../stage/packed.ts";
import { type Crowd, gatherCrowd } from "../verdicts/crowd.ts";
import { type Load, startLoad } from "../verdicts/load.ts";
import { startProbe } from "../verdicts/probe.ts";
import { type Database, startDatabase } from "./database.ts";
import { findPrograms } from "./programs.ts";
import { type Replicas, startReplicas } from "./replicas.ts";

/** A replicated service on a replicated database, and people who use it. */
export interface Scene {
  readonly node: Node;
  readonly chain: Chain;
  readonly database: Database;
  readonly service: Replicas;
  readonly crowd: Crowd;
  readonly store: CredentialStore;
  readonly load: Load;
  readonly probe: ReturnType<typeof startProbe>;
  readonly secret: string;
  /** Sentences for the report. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

export interface SceneOptions {
  readonly readers: number;
  readonly writers: number;
  readonly people: number;
  /** Whether the service is run from its sources, not as it is packed. */
  readonly source: boolean;
  readonly onStep: (step: string) => void;
}

/** Starts everything, and the load, in a temporary folder. All of it ends with {@link Scene.close}, or this process. */
export async function setScene(options: SceneOptions): Promise<Scene> {
  const { onStep, source } = options;
  const programs = findPrograms();
  // Not in TMPDIR: PostgreSQL's user has to get in, and its socket's path must be short.
  const folder = mkdtempSync("/tmp/identity-cluster-");
  chmodSync(folder, 0o755);
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  process.once("exit", removeFolder);
  const started: { stop(): unknown }[] = [{ stop: removeFolder }];
  const close = async () => {
    for (const part of started.splice(0).reverse()) await part.stop();
  };
  const keep = <Part extends { stop(): unknown }>(part: Part): Part => {
    started.push(part);
    return part;
  };
  try {
    onStep(source ? "The service is run from its sources" : "Packing the service");
    const program = source ? join(root, "signer/cli/identity-signer.ts") : installPacked(folder).program;
    onStep("Starting PostgreSQL on three nodes under Patroni");
    const database = keep(await startDatabase(folder, programs));
    onStep("Starting a node, and deploying a registry and a consumer");
    const node = keep(await startNode(folder));
    const [signingKey, secret] = [hex(randomBytes(32)), hex(randomBytes(32))];
    const signer = (await loadCurve()).address(bytesOf(signingKey));
    const chain = await prepareChain(node.rpcUrl, signer, 1);
    onStep("Starting three replicas of the service behind HAProxy");
    const setting = { chain, signingKey, secret };
    const service = keep(
      await startReplicas({ folder, programs, setting, databaseUrl: database.url, program }),
    );
    const store = await openCredentialStore({ databaseUrl: database.url, masterSecret: secret });
    keep({ stop: () => store.close() });
    const crowd = await gatherCrowd(store, options.people);
    const probe = keep(startProbe(database.probeUrl));
    const signing: Signing = { chainId: chain.chainId, registry: chain.registry, signer };
    const load = keep(startLoad({ ...options, url: service.url, chain, store, crowd, signing, secret }));
    await delay(1_000);
    const notes = [
      `The chain's node is ${node.name}.`,
      source ? "The service runs from its sources." : "The service is the packed one.",
      `${options.readers} people at a time ask for verifications, and ${options.writers} credentials at a time are written.`,
    ];
    return { node, chain, database, service, crowd, store, load, probe, secret, notes, close };
  } catch (error) {
    await close();
    throw error;
  }
}
