import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { type ProxyName, proxies } from "../fixtures/deploy/proxies.ts";
import { findFreePort } from "../fixtures/freePort.ts";
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

const starts: Readonly<Record<ProxyName, StartProxy>> = {
  nginx(folder, pools, service) {
    const texts = pools.map(({ port }, i) =>
      proxies.nginx
        .configure(port, [service, service], folder)
        .replaceAll("identity_signer", `pool${i}`)
        // However slow the machine is.
        .replaceAll(/(proxy_(?:connect|read)_timeout) \w+/g, "$1 60s"),
    );
    const [first = ""] = texts;
    const start = /^(.*\n)http \{.*\n/.exec(first)?.[0] ?? "";
    const servers = texts.map((text) => text.slice(start.length, -1).replace(/ {2}server \S+ max.*\n/, ""));
    proxies.nginx.start(folder, `${start}${servers.join("\n")}}`);
  },
  caddy(folder, pools, service) {
    const texts = pools.map(({ port }) =>
      proxies.caddy
        .configure(port, [service, service], folder)
        // However slow the machine is.
        .replaceAll(/((?:dial|health)_timeout) \w+/g, "$1 60s"),
    );
    const sites = texts.map((text) =>
      text.slice(text.indexOf("http://:")).replace(`${service} ${service}`, service),
    );
    const [first = ""] = texts;
    proxies.caddy.start(folder, `${first.slice(0, first.indexOf("http://:"))}${sites.join("\n")}`);
  },
  haproxy(folder, pools, service) {
    for (const { port } of pools) {
      // Without its own limits for one client address, which is one here; and no request is sent twice.
      const text = proxies.haproxy
        .configure(port, [service, service], folder)
        // However slow the machine is.
        .replaceAll(/timeout (check|connect|queue) \w+/g, "timeout $1 1h")
        .replaceAll(/^ {2}(server two|tcp-request|http-request deny|retry-on).*\n/gm, "");
      const own = join(folder, String(port));
      mkdirSync(own);
      proxies.haproxy.start(own, text);
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
    const installed = Object.entries(starts).filter(([name]) => isInstalled(name));
    await Promise.all(
      installed.map(async ([name, start]) => {
        counted[name] = await countAnswers(start);
      }),
    );
  }).timeout(150_000);

  for (const name of Object.keys(starts)) {
    it(`loses no request on a connection that was idle for 5 to 75 seconds: ${name}`, function () {
      if (!isInstalled(name)) skip(this, `there is no ${name} here`, `apt-get install ${name}`);
      const counts = counted[name];
      expect(Object.keys(counts ?? {}), JSON.stringify(counts)).to.deep.equal(["400"]);
      expect(counts?.[400]).to.be.at.least(2_000);
    });
  }
});
