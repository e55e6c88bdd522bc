import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { read } from "../fixtures/deploy/deployFiles.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { startProcess } from "../fixtures/process.ts";
import { startTestSigner } from "../fixtures/signer/signer.ts";
import { skip } from "../fixtures/skip.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** Seconds for which connections between proxy and service are idle: around the usual limits of both. */
const idleTimes = [4.9, 5, 5.1, 5.9, 6, 6.1, 7, 14.9, 15, 29.9, 30, 31, 59.9, 60, 61, 74, 75];

/** Requests at a time, each with a connection of its own to the service, and how often they come. */
const burst = 50;
const bursts = 3;
const longest = 75;

interface Pool {
  readonly port: number;
  readonly idle: number;
}

/** Starts a proxy with a pool of connections for each idle time. */
type StartProxy = (folder: string, pools: readonly Pool[], service: string) => void;

const isInstalled = (name: string) =>
  spawnSync(name, [name === "caddy" ? "version" : "-v"], { stdio: "ignore" }).status === 0;

const proxies: Readonly<Record<string, StartProxy>> = {
  nginx(folder, pools, service) {
    const servers = pools.map(({ port }, i) =>
      read("deploy/nginx/identity-signer.conf")
        .replaceAll("identity_signer", `pool${i}`)
        .replace(/server 10\.0\.0\.11:3000;\n *server 10\.0\.0\.12:3000;/, `server ${service};`)
        .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
        .replaceAll(/^ *ssl_.*\n/gm, ""),
    );
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const http = `access_log off; ${places.join(" ")}\n${servers.join("\n")}`;
    const text = `daemon off; pid ${folder}/pid; error_log stderr; worker_processes 1; events { worker_connections 8192; }\nhttp {${http}}`;
    writeFileSync(join(folder, "nginx.conf"), text);
    startProcess("nginx", ["-c", join(folder, "nginx.conf"), "-e", "stderr", "-p", folder]);
  },
  caddy(folder, pools, service) {
    const sites = pools.map(({ port }) =>
      read("deploy/caddy/Caddyfile")
        .replace("identity.example {", `http://127.0.0.1:${port} {`)
        .replace("10.0.0.11:3000 10.0.0.12:3000", service),
    );
    writeFileSync(join(folder, "Caddyfile"), `{\n\tadmin off\n\tauto_https off\n}\n${sites.join("\n")}`);
    startProcess("caddy", ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"], {
      env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    });
  },
  haproxy(folder, pools, service) {
    // Without its own limits for one client address, which is one here; and no request is sent twice.
    const shipped = read("deploy/haproxy/haproxy.cfg")
      .replace(/ ssl crt \S+ alpn \S+/, "")
      .replaceAll("10.0.0.11:3000", service)
      // However slow the machine is.
      .replaceAll(/timeout (check|connect|queue) \w+/g, "timeout $1 1h")
      .replaceAll(/^ {2}(server two|tcp-request|http-request deny|retry-on).*\n/gm, "");
    for (const { port } of pools) {
      const file = join(folder, `${port}.cfg`);
      writeFileSync(file, shipped.replace("bind :443", `bind 127.0.0.1:${port}`));
      startProcess("haproxy", ["-f", file]);
    }
  },
};

/** Sends requests through a proxy, and counts the answers by status; a lost one by what the proxy or Node says. */
async function countAnswers(start: StartProxy): Promise<Record<string, number>> {
  const { rpcUrl, registry } = await serveChainWithRegistry();
  const service = await startTestSigner({
    IDENTITY_RPC_URL: rpcUrl,
    IDENTITY_REGISTRY: await registry.getAddress(),
    IDENTITY_TRUST_PROXY: "127.0.0.1",
    IDENTITY_LOG_LEVEL: "silent",
  });
  const pools = await Promise.all(idleTimes.map(async (idle) => ({ idle, port: await findFreePort() })));
  start(await temporaryFolder(), pools, `127.0.0.1:${service.port}`);
  const to = { host: "127.0.0.1", agent: false, path: "/v1/onchain_verifications", method: "POST" };
  const headers = { "content-type": "application/json" };
  const post = (port: number) =>
    new Promise<string>((resolve) => {
      const sent = request({ ...to, port, headers }, (response) => {
        response.resume().once("end", () => resolve(String(response.statusCode)));
      });
      sent.once("error", ({ message }) => resolve(message)).end("{}");
    });
  const counts: Record<string, number> = {};
  await Promise.all(
    pools.map(async ({ port, idle }, i) => {
      while ((await post(port)) !== "400") await delay(50);
      await delay(i * 50);
      for (let sent = 0, waited = 0; sent < bursts && waited <= longest; sent++, waited += idle) {
        if (sent > 0) await delay(idle * 1_000);
        for (const answer of await Promise.all(Array.from({ length: burst }, () => post(port)))) {
          counts[answer] = (counts[answer] ?? 0) + 1;
        }
      }
    }),
  );
  return counts;
}

describe("A service behind a real proxy", () => {
  const counted: Record<string, Record<string, number>> = {};
  before(async () => {
    const installed = Object.entries(proxies).filter(([name]) => isInstalled(name));
    await Promise.all(
      installed.map(async ([name, start]) => {
        counted[name] = await countAnswers(start);
      }),
    );
  }).timeout(150_000);

  for (const name of Object.keys(proxies)) {
    it(`loses no request on a connection that was idle for 5 to 75 seconds: ${name}`, function () {
      if (!isInstalled(name)) skip(this, `there is no ${name} here`, `apt-get install ${name}`);
      const counts = counted[name];
      expect(Object.keys(counts ?? {}), JSON.stringify(counts)).to.deep.equal(["400"]);
      expect(counts?.[400]).to.be.at.least(2_000);
    });
  }
});
