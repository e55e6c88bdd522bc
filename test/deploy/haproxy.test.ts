import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { read } from "../fixtures/deploy/deployFiles.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { startProcess } from "../fixtures/process.ts";
import { skip } from "../fixtures/skip.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

describe("The proxy's configuration", () => {
  before(function () {
    if (spawnSync("haproxy", ["-v"], { stdio: "ignore" }).status !== 0) {
      skip(this, "there is no haproxy here", "apt-get install --no-install-recommends haproxy");
    }
  });

  // Whose certificate is the operator's.
  const configuration = read("deploy/haproxy/haproxy.cfg").replace(/ ssl crt \S+ alpn \S+/, "");

  it("is understood by HAProxy", async () => {
    const file = join(await temporaryFolder(), "haproxy.cfg");
    const check = (text: string) => {
      writeFileSync(file, text);
      return spawnSync("haproxy", ["-c", "-f", file], { encoding: "utf8" });
    };
    const { status, stderr } = check(configuration);
    expect(status, stderr).to.equal(0);
    expect(stderr).not.to.match(/\[(WARNING|ALERT)\]/);
    expect(check(configuration.replaceAll("balance ", "balanced ")).status).not.to.equal(0);
  });

  it("prefers a replica that is ready, has one that is not say why, and says itself when none runs", async () => {
    const serveReplica = async (name: string) => {
      const replica = { ready: true, healthy: true };
      const { url } = await serveHttp(({ url: path }, response) => {
        const isUp = path === "/healthz" ? replica.healthy : path === "/readyz" ? replica.ready : true;
        response.writeHead(isUp ? 200 : 503).end(name);
      });
      return {
        ...replica,
        host: new URL(url).host,
        set: (to: Partial<typeof replica>) => Object.assign(replica, to),
      };
    };
    const [one, two] = [await serveReplica("one"), await serveReplica("two")];
    const port = await findFreePort();
    const file = join(await temporaryFolder(), "haproxy.cfg");
    writeFileSync(
      file,
      configuration
        .replace("bind :443", `bind 127.0.0.1:${port}`)
        .replaceAll("10.0.0.11:3000", one.host)
        .replaceAll("10.0.0.12:3000", two.host)
        .replaceAll("inter 500ms", "inter 100ms"),
    );
    startProcess("haproxy", ["-f", file]);
    const ask = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
      return response && { response, text: await response.text() };
    };
    /** Asks until four answers in a row are such; the test's own timeout ends it. */
    const until = async (isSuch: (answer: NonNullable<Awaited<ReturnType<typeof ask>>>) => boolean) => {
      for (let row = 0; row < 4; ) {
        const answer = await ask();
        row = answer !== undefined && isSuch(answer) ? row + 1 : 0;
        await delay(20);
      }
    };
    one.set({ ready: false });
    await until(({ text }) => text === "two");
    two.set({ ready: false });
    await until(({ text }) => text === "one" || text === "two");
    two.set({ healthy: false });
    await until(({ text }) => text === "one");
    one.set({ healthy: false });
    await until(({ response }) => response.status === 503);
    const { response, text } = (await ask()) ?? {};
    expect(response?.headers.get("retry-after")).to.match(/^\d+$/);
    expect(JSON.parse(text ?? "")).to.include({ status: 503, code: "overloaded" });
  });
});
