import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { root } from "../repository.ts";
import { findFreePorts } from "./ports.ts";
import { type Daemon, listDescendants, makeFolder, startDaemon } from "./processes.ts";
import type { Programs } from "./programs.ts";

/** PostgreSQL on three nodes under Patroni, and HAProxy in front of them. */
export interface Database {
  /** `IDENTITY_DATABASE_URL` of the store's database, by way of HAProxy. */
  readonly url: string;
  /** Of another one on the same nodes, with an empty table `probe (at bigint)`. */
  readonly probeUrl: string;
  readonly nodes: readonly DatabaseNode[];
  /** The node that says that it is the primary, if one does. */
  findPrimary(): Promise<DatabaseNode | undefined>;
  /** Resolves when there is a primary, and the other two follow it, one of them synchronously. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export interface DatabaseNode {
  readonly name: string;
  /** Kills Patroni and PostgreSQL with SIGKILL. */
  kill(): Promise<void>;
  start(): void;
  /** Stops all its processes where they are, as a machine that hangs. */
  freeze(): void;
  thaw(): void;
}

/** Seconds. What Patroni's documentation asks of them holds: loop_wait + 2 * retry_timeout <= ttl. */
export const timing = { ttl: 8, loop_wait: 1, retry_timeout: 3 } as const;

const password = "identity";
const settleLimit = 120_000;

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** @param folder An empty one, which its owner may look into. */
export async function startDatabase(folder: string, programs: Programs): Promise<Database> {
  const names = ["n1", "n2", "n3"];
  const [entry = 0, etcdClient = 0, etcdPeer = 0, ...rest] = await findFreePorts(3 + 2 * names.length);
  const places = names.map((name, i) => ({ name, port: rest[2 * i] ?? 0, api: rest[2 * i + 1] ?? 0 }));
  const etcd = startEtcd({ folder, programs, client: etcdClient, peer: etcdPeer });
  const members = places.map((place) => ({
    ...place,
    daemon: startPatroni({ folder, programs, etcd: etcdClient, ...place }),
  }));
  const balancer = startDaemon({
    name: "haproxy-database",
    folder,
    command: [programs.haproxy, "-db", "-f", join(root, "bench/cluster/haproxy-database.cfg")],
    env: () =>
      Object.fromEntries([
        ["LISTEN", `127.0.0.1:${entry}`],
        ...places.flatMap(({ port, api }, i) => [
          [`NODE${i + 1}`, `127.0.0.1:${port}`],
          [`PATRONI${i + 1}`, String(api)],
        ]),
      ]),
  });
  const daemons: Daemon[] = [etcd, ...members.map(({ daemon }) => daemon), balancer];
  const stop = async () => {
    await Promise.all(daemons.map((daemon) => daemon.end("SIGKILL")));
  };

  const nodes = members.map(({ name, daemon }) => ({
    name,
    kill: () => daemon.end("SIGKILL"),
    start: daemon.start,
    freeze: () => daemon.signal("SIGSTOP"),
    thaw: () => daemon.signal("SIGCONT"),
  }));

  async function findPrimary(): Promise<DatabaseNode | undefined> {
    const answers = await Promise.all(places.map(({ api }) => ask(`http://127.0.0.1:${api}/primary`)));
    return nodes[answers.findIndex((answer) => answer !== undefined)];
  }

  async function isSettled(): Promise<boolean> {
    for (const { api } of places) {
      const answer = await ask(`http://127.0.0.1:${api}/cluster`);
      if (answer === undefined) continue;
      const { members: found } = answer as { members: Member[] };
      const roles = found.filter(({ state }) => state === "running" || state === "streaming");
      const count = (role: string) => roles.filter((member) => member.role === role).length;
      return count("leader") === 1 && count("sync_standby") === 1 && count("replica") === 1;
    }
    return false;
  }

  async function settled(): Promise<void> {
    const end = performance.now() + settleLimit;
    while (!(await isSettled())) {
      if (performance.now() > end) throw new Error(describeTrouble(folder, names));
      await delay(200);
    }
  }

  try {
    await settled();
    const urlOf = (database: string) => `postgresql://postgres:${password}@127.0.0.1:${entry}/${database}`;
    await patiently(() => run(urlOf("postgres"), "create database store"));
    await patiently(() => run(urlOf("postgres"), "create database probe"));
    await patiently(() => run(urlOf("probe"), "create table probe (at bigint)"));
    return { url: urlOf("store"), probeUrl: urlOf("probe"), nodes, findPrimary, settled, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startEtcd(input: { folder: string; programs: Programs; client: number; peer: number }): Daemon {
  const { folder, programs, client, peer } = input;
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
  const flags = {
    "enable-v2": "true",
    "data-dir": makeFolder(join(folder, "etcd"), programs.owner),
    "listen-client-urls": clientUrl,
    "advertise-client-urls": clientUrl,
    "listen-peer-urls": peerUrl,
    "initial-advertise-peer-urls": peerUrl,
    "initial-cluster": `default=${peerUrl}`,
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  return startDaemon({ name: "etcd", folder, command: [programs.etcd, ...args], owner: programs.owner });
}

function startPatroni(input: {
  folder: string;
  programs: Programs;
  etcd: number;
  name: string;
  port: number;
  api: number;
}): Daemon {
  const { folder, programs, name } = input;
  const own = makeFolder(join(folder, name), programs.owner);
  const settings = join(folder, `${name}.yml`);
  // JSON is YAML, too.
  writeFileSync(settings, JSON.stringify(patroniSettings({ ...input, own }), null, 2));
  return startDaemon({
    name: `patroni-${name}`,
    folder,
    command: [...programs.patroni, settings],
    owner: programs.owner,
    // Patroni gives PostgreSQL a session of its own.
    others: () => listDescendants(readPostmaster(join(own, "data"))),
  });
}

function patroniSettings(input: {
  own: string;
  programs: Programs;
  etcd: number;
  name: string;
  port: number;
  api: number;
}): object {
  const { own, programs, etcd, name, port, api } = input;
  const [address, listen] = [`127.0.0.1:${api}`, `127.0.0.1:${port}`];
  const superuser = { username: "postgres", password };
  return {
    scope: "identity",
    name,
    restapi: { listen: address, connect_address: address },
    // Not etcd3: with that, Patroni before 3.1 (Debian 12 has 3.0.2) may not know any more who follows synchronously once it
    // has hung (its pull request 2783).
    etcd: { host: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ...timing,
        // What was acknowledged is on two machines, also while there are only two.
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, shared_buffers: "16MB" } },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"],
    },
    postgresql: {
      listen,
      connect_address: listen,
      data_dir: join(own, "data"),
      bin_dir: programs.postgres,
      pgpass: join(own, "pgpass"),
      authentication: { superuser, replication: { username: "replicator", password }, rewind: superuser },
      parameters: { unix_socket_directories: own },
      pg_hba: [
        "local all all trust",
        "host replication replicator 127.0.0.1/32 scram-sha-256",
        "host all all 127.0.0.1/32 scram-sha-256",
      ],
      remove_data_directory_on_diverged_timelines: true,
      remove_data_directory_on_rewind_failure: true,
    },
  };
}

/** The process that all others of a PostgreSQL server descend from; 0 where there is none. */
function readPostmaster(folder: string): number {
  try {
    return Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n", 1)[0]);
  } catch {
    return 0;
  }
}

function describeTrouble(folder: string, names: readonly string[]): string {
  const ends = names.map((name) =>
    readFileSync(join(folder, `patroni-${name}.log`), "utf8")
      .split("\n")
      .slice(-15)
      .join("\n"),
  );
  return `The nodes do not settle on a primary and two that follow it.\n${ends.join("\n\n")}`;
}

/** What is answered with 200. */
async function ask(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return response.status === 200 ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** HAProxy sees a primary a moment after Patroni does. */
async function patiently(step: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await step();
    } catch (error) {
      if (tries === 20) throw error;
      await delay(500);
    }
  }
}
