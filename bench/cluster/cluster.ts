import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type CredentialStore, openCredentialStore } from "../../signer/index.ts";
import { findFreePort } from "../../test/fixtures/freePort.ts";
import { type Attempts, startAttempts } from "../checks/attempts.ts";
import { createParticipants, type Participants } from "../checks/participants.ts";
import type { Environment } from "../environment/environment.ts";
import { type Process, startProcess } from "../environment/process.ts";
import { listening, serviceEnvironment, serviceProgram } from "../environment/servers.ts";
import type { Options } from "../options.ts";
import { root } from "../repository.ts";
import { type Database, startDatabase } from "./database.ts";
import { findPrograms, type Programs } from "./programs.ts";

/** A replicated service on a replicated database, with people who use it. It closes with its environment. */
export interface Cluster {
  readonly environment: Environment;
  readonly database: Database;
  readonly replicas: readonly [Replica, Replica, Replica];
  readonly participants: Participants;
  readonly store: CredentialStore;
  readonly attempts: Attempts;
  /** Sentences for the report. */
  readonly notes: readonly string[];
}

/** One process of the service. */
export interface Replica extends Pick<Process, "stop"> {
  readonly address: string;
  /** @param clock Seconds by which its clock is off; 0 by default. */
  start(clock?: number): Promise<void>;
  /** Returns the number of verifications that it has issued. */
  countIssued(): Promise<number>;
}

export async function startCluster(environment: Environment, options: Options): Promise<Cluster> {
  const { onStep, readers, writers } = options;
  const { keep, folder, secret } = environment;
  const programs = findPrograms();
  onStep("Starting PostgreSQL on three nodes under Patroni");
  const database = keep(await startDatabase(folder, programs));
  onStep("Starting three replicas of the service behind HAProxy");
  const create = async (name: string) =>
    keep(await startReplica(environment, { programs, name, databaseUrl: database.url }));
  const replicas = [await create("r1"), await create("r2"), await create("r3")] as const;
  const address = `127.0.0.1:${await findFreePort()}`;
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, configureProxy(address, replicas));
  const command = [programs.haproxy, "-db", "-f", file] as const;
  const proxy = keep(await startProcess({ name: "haproxy", folder, command }));
  const url = `http://${address}`;
  for (const end = performance.now() + 60_000; !(await isReady(url)); await delay(100)) {
    if (performance.now() > end) throw new Error(`The service does not become ready:\n${proxy.output()}`);
  }
  const store = await openCredentialStore({ databaseUrl: database.url, masterSecret: secret });
  keep({ stop: () => store.close() });
  const participants = await createParticipants(store, environment.people);
  const { probeUrl } = database;
  const use = { environment, url, store, probeUrl, participants, readers, writers };
  const attempts = keep(startAttempts(use));
  await delay(1_000);
  const notes = [
    `${readers} people at a time ask for verifications, and ${writers} credentials at a time are written.`,
  ];
  return { environment, database, replicas, participants, store, attempts, notes };
}

/** Returns the shipped configuration file, with these addresses and without a certificate. */
export function configureProxy(address: string, replicas: readonly Pick<Replica, "address">[]): string {
  const shipped = readFileSync(join(root, "deploy/haproxy/haproxy.cfg"), "utf8");
  const servers = replicas.map((replica, i) => `  server r${i} ${replica.address}\n`).join("");
  return shipped
    .replace(/^ {2}bind .*$/m, `  bind ${address}`)
    .replace(/(?: {2}server \S+ \S+\n)+/g, servers);
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

async function startReplica(
  environment: Environment,
  { programs, name, databaseUrl }: { programs: Programs; name: string; databaseUrl: string },
): Promise<Replica> {
  const port = await findFreePort();
  let clock = 0;
  const replica = await startProcess({
    ...{ name, folder: environment.folder, ready: listening },
    command: [process.execPath, serviceProgram],
    env: () => ({
      ...serviceEnvironment(environment, databaseUrl),
      IDENTITY_PORT: String(port),
      IDENTITY_TRUST_PROXY: "1",
      // The wall clock only: processes measure durations with the monotonic clock.
      ...(clock !== 0 && {
        LD_PRELOAD: programs.libfaketime,
        FAKETIME: `${clock < 0 ? "" : "+"}${clock}s`,
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      }),
    }),
  });
  const address = `127.0.0.1:${port}`;
  return {
    address,
    stop: replica.stop,
    async start(seconds = 0) {
      clock = seconds;
      await replica.start();
    },
    async countIssued() {
      const metrics = await (await fetch(`http://${address}/metrics`)).text();
      return Number(/^identity_verifications_total\{result="issued"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
    },
  };
}
