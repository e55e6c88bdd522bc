import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parse } from "yaml";
import { findFreePort } from "../../test/fixtures/freePort.ts";
import { withClient } from "../../test/fixtures/signer/postgres.ts";
import { type Process, startProcess } from "../environment/process.ts";
import { root } from "../environment/repository.ts";
import { findOwner, type Programs } from "./programs.ts";

/** PostgreSQL on three nodes under Patroni, and HAProxy in front of them. */
export interface Database {
  /** `IDENTITY_DATABASE_URL` of the store's database, through HAProxy. */
  readonly url: string;
  /** The URL of another database on the same nodes, with an empty table `probe (at bigint)`. */
  readonly probeUrl: string;
  /** Returns the node that says that it is the primary, if any: Patroni with PostgreSQL, as one process. */
  findPrimary(): Promise<Process | undefined>;
  /** Resolves when there is a primary and the other two nodes follow it, one of them synchronously. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

const password = "identity";
/** Milliseconds for the nodes to settle. */
const settleLimitMs = 120_000;

/** @param folder A folder that PostgreSQL's user can enter. */
export async function startDatabase(folder: string, programs: Programs): Promise<Database> {
  const owner = findOwner();
  const env = () => ({ LC_ALL: "C", TZ: "UTC", HOME: folder });
  const makeFolder = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o700 });
    if (owner) chownSync(path, owner.uid, owner.gid);
    return path;
  };
  const processes: Process[] = [];
  const keep = async (options: Omit<Parameters<typeof startProcess>[0], "folder" | "env">, more = {}) => {
    const started = await startProcess({
      ...options,
      folder,
      cwd: folder,
      env: () => ({ ...env(), ...more }),
    });
    processes.push(started);
    return started;
  };
  const [client, peer] = [`127.0.0.1:${await findFreePort()}`, `http://127.0.0.1:${await findFreePort()}`];
  const etcd = {
    ...readEnvironment("deploy/patroni/etcd"),
    ETCD_DATA_DIR: makeFolder("etcd"),
    ETCD_LISTEN_CLIENT_URLS: `http://${client}`,
    ETCD_ADVERTISE_CLIENT_URLS: `http://${client}`,
    ETCD_LISTEN_PEER_URLS: peer,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: peer,
    ETCD_INITIAL_CLUSTER: `e1=${peer}`,
  };
  await keep({ name: "etcd", command: [programs.etcd], owner }, etcd);

  const nodes: { api: string; listen: string; node: Process }[] = [];
  for (const name of ["n1", "n2", "n3"]) {
    const [api, listen] = [`127.0.0.1:${await findFreePort()}`, `127.0.0.1:${await findFreePort()}`];
    const own = makeFolder(name);
    const settings = join(folder, `${name}.yml`);
    // JSON is valid YAML.
    writeFileSync(settings, JSON.stringify(patroniSettings({ name, own, client, api, listen, programs })));
    const node = await keep({
      name: `patroni-${name}`,
      // Patroni is a Python script, and only the system's Python has its modules.
      command: ["/usr/bin/python3", programs.patroni, settings],
      owner,
      // Patroni starts PostgreSQL in a session of its own.
      others: () => listDescendants(readPostmaster(join(own, "data"))),
    });
    nodes.push({ api, listen, node });
  }
  const entry = `127.0.0.1:${await findFreePort()}`;
  const addresses = nodes.flatMap(({ api, listen }, i) => [
    [`NODE${i + 1}`, listen],
    [`PATRONI${i + 1}`, api.split(":")[1]],
  ]);
  const configuration = join(root, "deploy/patroni/haproxy.cfg");
  const command = [programs.haproxy, "-db", "-f", configuration] as const;
  await keep({ name: "haproxy-database", command }, { LISTEN: entry, ...Object.fromEntries(addresses) });
  const stop = async () => {
    await Promise.all(processes.map((each) => each.stop("SIGKILL")));
  };

  async function isSettled(): Promise<boolean> {
    for (const { api } of nodes) {
      const answer = await askPatroni(`http://${api}/cluster`);
      if (answer === undefined) continue;
      const { members } = answer as { members: { role: string; state: string }[] };
      const running = members.filter(({ state }) => state === "running" || state === "streaming");
      return ["leader", "sync_standby", "replica"].every(
        (role) => running.filter((member) => member.role === role).length === 1,
      );
    }
    return false;
  }
  async function settled(): Promise<void> {
    const end = performance.now() + settleLimitMs;
    for (; !(await isSettled()); await delay(200)) {
      if (performance.now() < end) continue;
      const ends = nodes.map(({ node }) => node.output().split("\n").slice(-15).join("\n"));
      throw new Error(`The nodes do not settle on a primary and two that follow it.\n${ends.join("\n\n")}`);
    }
  }

  try {
    await settled();
    const urlOf = (database: string) => `postgresql://postgres:${password}@${entry}/${database}`;
    await runStatement(urlOf("postgres"), "create database store");
    await runStatement(urlOf("postgres"), "create database probe");
    await runStatement(urlOf("probe"), "create table probe (at bigint)");
    const findPrimary = async () => {
      const answers = await Promise.all(nodes.map(({ api }) => askPatroni(`http://${api}/primary`)));
      return nodes[answers.findIndex((answer) => answer !== undefined)]?.node;
    };
    return { url: urlOf("store"), probeUrl: urlOf("probe"), findPrimary, settled, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the shipped settings, adapted to a node on this machine. */
function patroniSettings(node: {
  readonly name: string;
  readonly own: string;
  readonly client: string;
  readonly api: string;
  readonly listen: string;
  readonly programs: Programs;
}): object {
  const { name, own, client, api, listen, programs } = node;
  const shipped = parse(readFileSync(join(root, "deploy/patroni/patroni.yml"), "utf8"));
  const { bootstrap, postgresql } = shipped;
  // A node of the trial is small.
  bootstrap.dcs.postgresql.parameters.shared_buffers = "16MB";
  for (const role of Object.values<{ password: string }>(postgresql.authentication)) role.password = password;
  Object.assign(postgresql, {
    listen,
    connect_address: listen,
    data_dir: join(own, "data"),
    bin_dir: programs.PostgreSQL,
    pgpass: join(own, "pgpass"),
    pg_hba: postgresql.pg_hba.map((rule: string) => rule.replace("10.0.0.0/24", "127.0.0.1/32")),
  });
  postgresql.parameters.unix_socket_directories = own;
  const restapi = { ...shipped.restapi, listen: api, connect_address: api };
  return { ...shipped, name, restapi, etcd: { hosts: client } };
}

/** Returns the variables that a file of the repository sets. */
function readEnvironment(file: string): Record<string, string> {
  const lines = readFileSync(join(root, file), "utf8").matchAll(/^(\w+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
}

/** Returns the main process of a PostgreSQL server; 0 if there is none. */
function readPostmaster(folder: string): number {
  try {
    return Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n", 1)[0]);
  } catch {
    return 0;
  }
}

/** Returns a process with all its descendants. */
function listDescendants(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
    return [pid, ...children.flatMap(listDescendants)];
  } catch {
    // The process has ended.
    return [];
  }
}

/** Returns the JSON body of an answer with 200; otherwise undefined. */
async function askPatroni(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return response.status === 200 ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

/** Runs a statement, and retries it, because HAProxy sees a primary a moment after Patroni does. */
async function runStatement(url: string, statement: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await withClient(url, (client) => client.query(statement)));
    } catch (error) {
      if (tries === 20) throw error;
      await delay(500);
    }
  }
}
