import { spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { needProxy, type ProxyName, proxies, startProxy } from "../fixtures/deploy/proxies.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** How each proxy checks a file, and a word of its file that a misspelling breaks. */
const checks = {
  nginx: {
    word: "keepalive ",
    argsFor: (file: string) => ["-t", "-c", file, "-e", "stderr"],
  },
  caddy: {
    word: "lb_policy ",
    argsFor: (file: string) => ["validate", "--adapter", "caddyfile", "--config", file],
  },
} satisfies Partial<Record<ProxyName, unknown>>;

describe("The proxies' files", function () {
  this.timeout(20_000);

  for (const name of ["nginx", "caddy"] as const) {
    it(`are valid for their proxy: ${name}`, async function () {
      needProxy(this, name);
      const folder = await temporaryFolder();
      const text = proxies[name].configure(await findFreePort(), ["127.0.0.1:1", "127.0.0.1:2"], folder);
      const { word, argsFor } = checks[name];
      const check = (written: string) => {
        writeFileSync(join(folder, "checked"), written);
        const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
        return spawnSync(name, argsFor(join(folder, "checked")), { encoding: "utf8", env });
      };
      const { status, stderr } = check(text);
      expect(status, stderr).to.equal(0);
      expect(stderr).not.to.include("[warn]");
      expect(check(text.replace(word, `x${word}`)).status).not.to.equal(0);
    });

    it(`keep the metrics inside: ${name}`, async function () {
      needProxy(this, name);
      const { url } = await serveHttp((_request, response) => response.end("answered"));
      const proxy = await startProxy(name, [url, url]);
      expect(await askProxy(proxy.url, "/metrics")).to.equal(404);
      expect(await askProxy(proxy.url, "/healthz")).to.equal(200);
    });
  }

  it("log a person's return without the code: nginx", async function () {
    needProxy(this, "nginx");
    const sound = await serveHttp((_request, response) => response.end("answered"));
    const broken = await serveHttp(({ socket }) => socket.destroy());
    for (const { url } of [sound, broken]) {
      const proxy = await startProxy("nginx", [url, url]);
      const status = await askProxy(proxy.url, "/verify/callback/microblog?code=of-a-person");
      expect(status).to.equal(url === sound.url ? 200 : 503);
      const readLogs = () =>
        globSync("**/*.log", { cwd: proxy.folder })
          .map((file) => readFileSync(join(proxy.folder, file), "utf8"))
          .concat(proxy.output())
          .join("");
      while (!readLogs().includes("/verify/callback/")) await delay(5);
      expect(readLogs()).not.to.include("of-a-person");
    }
  });
});

/** Asks a proxy for the status of a path, again until it listens. */
async function askProxy(url: string, path: string): Promise<number> {
  return fetch(`${url}${path}`).then(
    ({ status }) => status,
    () => askProxy(url, path),
  );
}
