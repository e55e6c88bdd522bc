import { setTimeout as delay } from "node:timers/promises";
import { openCredentialStore } from "../../signer/index.ts";
import { findFreePort } from "../../test/fixtures/freePort.ts";
import { type Attempts, startAttempts } from "../checks/attempts.ts";
import { createWrites, type Writes } from "../checks/writes.ts";
import type { Environment } from "../environment/environment.ts";
import { createCredential } from "../environment/people.ts";
import { startProcess } from "../environment/process.ts";
import { listening, serviceEnvironment, serviceProgram } from "../environment/servers.ts";
import { type Database, startDatabase } from "./database.ts";
import { findPrograms } from "./programs.ts";
import { startProxy } from "./proxy.ts";

/** A replicated service on a replicated database, with people who use it. It closes with its environment. */
export interface Cluster {
  readonly database: Database;
  readonly writes: Writes;
  readonly attempts: Attempts;
}

export async function startCluster(
  environment: Environment,
  onStep: (step: string) => void,
): Promise<Cluster> {
  const { keep, folder, secret } = environment;
  const programs = findPrograms();
  onStep("Starting PostgreSQL on three nodes under Patroni");
  const database = keep(await startDatabase(folder, programs));
  onStep("Starting three replicas of the service behind HAProxy");
  const replicas: string[] = [];
  for (const name of ["r1", "r2", "r3"]) replicas.push(await startReplica(environment, name, database.url));
  const url = await startProxy(environment, replicas);
  const store = await openCredentialStore({ databaseUrl: database.url, masterSecret: secret });
  keep({ stop: () => store.close() });
  for (const { wallet } of environment.people) await store.set(createCredential(wallet));
  const writes = createWrites(store, secret);
  const attempts = keep(startAttempts({ environment, url, probeUrl: database.probeUrl, writes }));
  await delay(1_000);
  return { database, writes, attempts };
}

/** Starts one process of the service. Returns its address. */
async function startReplica(environment: Environment, name: string, databaseUrl: string): Promise<string> {
  const port = await findFreePort();
  environment.keep(
    await startProcess({
      name,
      folder: environment.folder,
      ready: listening,
      command: [process.execPath, serviceProgram],
      env: () => ({
        ...serviceEnvironment(environment, databaseUrl),
        IDENTITY_PORT: String(port),
        IDENTITY_TRUST_PROXY: "1",
      }),
    }),
  );
  return `127.0.0.1:${port}`;
}
