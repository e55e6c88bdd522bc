import { spawnSync } from "node:child_process";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { parse } from "yaml";
import { onCleanup } from "../fixtures/cleanup.ts";
import { read } from "../fixtures/deploy/deployFiles.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { startProcess } from "../fixtures/process.ts";
import { skip } from "../fixtures/skip.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

const file = join(root, "deploy/patroni/haproxy.cfg");

const listen = async (server: Server | ReturnType<typeof createTcpServer>): Promise<number> => {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onCleanup(() => server.close());
  return (server.address() as AddressInfo).port;
};

/** A node: a database that sends its name on each connection, and Patroni, which knows whether it is the primary. */
async function serveNode(name: string) {
  const node = { isPrimary: false };
  const patroni = createServer(({ url }, response) => {
    response.writeHead(url === "/primary" && node.isPrimary ? 200 : 503).end();
  });
  const database = createTcpServer((socket) => {
    socket.on("error", () => undefined).write(name);
    onCleanup(() => socket.destroy());
  });
  const [port, health] = [await listen(database), await listen(patroni)];
  return { port, health, set: (isPrimary: boolean) => Object.assign(node, { isPrimary }) };
}

describe("The way to the primary", () => {
  before(function () {
    if (spawnSync("haproxy", ["-v"], { stdio: "ignore" }).status === 0) return;
    skip(this, "there is no haproxy here", "apt-get install --no-install-recommends haproxy");
  });

  it("leads to the node that Patroni calls the primary, and a connection to a former one ends", async () => {
    const nodes = await Promise.all(["one", "two", "three"].map(serveNode));
    const port = await findFreePort();
    const env: Record<string, string> = { LISTEN: `127.0.0.1:${port}` };
    for (const [i, node] of nodes.entries()) {
      env[`NODE${i + 1}`] = `127.0.0.1:${node.port}`;
      env[`PATRONI${i + 1}`] = String(node.health);
    }
    startProcess("haproxy", ["-f", file], { env: { ...process.env, ...env } });
    /** Connects, and tells which node answers; nobody if the connection ends at once. */
    const open = () =>
      new Promise<{ name: string; ended: Promise<unknown> }>((resolve) => {
        const socket = connect({ port, host: "127.0.0.1" });
        onCleanup(() => socket.destroy());
        const ended = new Promise((end) => socket.once("close", end));
        socket
          .on("error", () => undefined)
          .once("data", (name) => resolve({ name: name.toString(), ended }))
          .once("close", () => resolve({ name: "nobody", ended }));
      });
    const until = async (name: string) => {
      for (;;) {
        const connection = await open();
        if (connection.name === name) return connection;
        await delay(20);
      }
    };
    nodes[1]?.set(true);
    const first = await until("two");
    nodes[1]?.set(false);
    await first.ended;
    await until("nobody");
    nodes[2]?.set(true);
    await until("three");
  }).timeout(30_000);
});

describe("Patroni's settings", () => {
  const { bootstrap, postgresql, etcd, restapi } = parse(read("deploy/patroni/patroni.yml"));

  it("have room for the connections of all replicas, keep those that are idle, and leave a dead primary within two seconds", () => {
    const text = read("deploy/patroni/haproxy.cfg");
    const { dcs } = parse(read("deploy/patroni/patroni.yml")).bootstrap;
    // Ten of each process; see docs/failover.md.
    expect(dcs.postgresql.parameters.max_connections).to.equal(100);
    expect(Number(/maxconn (\d+)/.exec(text)?.[1])).to.be.above(100);
    const [, inter, fall, rise] =
      / inter (\d+)ms fall (\d+) rise (\d+) on-marked-down shutdown-sessions$/m.exec(text) ?? [];
    expect([(Number(inter) * Number(fall)) / 1000, Number(rise)]).to.deep.equal([1, 1]);
    // A client is told at once, and tries again by itself.
    for (const line of ["timeout connect 1s", "timeout check 1s", "timeout queue 100ms", "retries 0"]) {
      expect(text.split("\n")).to.include(`  ${line}`);
    }
    for (const side of ["client", "server"]) expect(text).to.match(new RegExp(`timeout ${side} 1h$`, "m"));
  });

  it("acknowledge no write that is on one machine alone, and replace a dead primary within seconds", () => {
    const { ttl, loop_wait, retry_timeout, ...dcs } = bootstrap.dcs;
    expect(dcs).to.deep.include({ synchronous_mode: true, synchronous_mode_strict: true });
    expect(loop_wait + 2 * retry_timeout).to.be.at.most(ttl);
    expect(ttl).to.be.at.most(10);
    expect(dcs.postgresql.use_pg_rewind).to.equal(true);
    expect(bootstrap.initdb).to.deep.equal([{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"]);
    expect(postgresql).to.include({
      remove_data_directory_on_diverged_timelines: true,
      remove_data_directory_on_rewind_failure: true,
    });
  });

  it("let nobody in without a password, but the system's own user on the machine", () => {
    expect(postgresql.pg_hba).to.deep.equal([
      "local all postgres peer",
      "host replication replicator 10.0.0.0/24 scram-sha-256",
      "host all all 10.0.0.0/24 scram-sha-256",
    ]);
    const { superuser, replication, rewind } = postgresql.authentication;
    for (const { username, password } of [superuser, replication, rewind, restapi.authentication]) {
      expect(username).to.be.a("string");
      expect(password, username).to.match(/\w{3}/);
    }
    expect(rewind).to.deep.equal(superuser);
  });

  it("name the three machines of etcd as etcd's own settings do", () => {
    const [, cluster = ""] = /^ETCD_INITIAL_CLUSTER=(.*)$/m.exec(read("deploy/patroni/etcd")) ?? [];
    const machines: string[] = etcd.hosts.split(",").map((host: string) => host.replace(":2379", ""));
    expect(machines).to.have.length(3);
    expect(cluster).to.equal(machines.map((host, i) => `e${i + 1}=http://${host}:2380`).join(","));
  });
});
