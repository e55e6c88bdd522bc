import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { holdTimers } from "../../fixtures/holdTimers.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

describe("A service that is asked to end", () => {
  it("is unready at /readyz, answers everything else until proxies have noticed, and then ends", async () => {
    const stack = await startStack({ IDENTITY_METRICS_PORT: "0" });
    const { url, service } = stack;
    const { request } = await stack.participate();
    expect((await request()).response.headers.get("connection")).to.equal("keep-alive");
    const notice = holdTimers(5_000);
    const ended = service.retire();
    for (const at of [url, service.metricsUrl]) {
      const answer = await fetch(`${at}/readyz`);
      expect(answer.status).to.equal(503);
      const report = (await answer.json()) as { status: string; checks: Record<string, { ok: boolean }> };
      expect(report.status).to.equal("ending");
      expect(report.checks.store).to.include({ ok: true });
    }
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
    const { status, response } = await request();
    expect(status).to.equal(200);
    expect(response.headers.get("connection")).to.equal("close");
    notice.end();
    await ended;
    expect(await fetch(url).catch(() => "nobody listens")).to.equal("nobody listens");
    expect(service.log.join("")).to.match(/"ending soon: .*"ending: .*"ended"/s);
  });

  it("ends at once if a person asks it to", async () => {
    const { url, service } = await startStack();
    holdTimers(5_000);
    await Promise.all([service.close(), service.close()]);
    await service.close();
    expect(await fetch(url).catch(() => "nobody listens")).to.equal("nobody listens");
    const said = service.log.map((line) => JSON.parse(line).msg.split(":")[0]);
    expect(said.filter((words: string) => /^end/.test(words))).to.deep.equal(["ending", "ended"]);
  });

  it("waits for ten seconds for requests that do not end, at both ports at once, and for no longer", async () => {
    const { url, service } = await startStack({ IDENTITY_METRICS_PORT: "0" });
    const begun = new Promise<void>((resolve) => {
      let count = 0;
      const listen = () => {
        if (++count === 2) resolve();
      };
      subscribe("http.server.request.start", listen);
      onCleanup(() => void unsubscribe("http.server.request.start", listen));
    });
    const head =
      "POST /v1/onchain_verifications HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9";
    for (const at of [url, String(service.metricsUrl)]) {
      const { hostname, port } = new URL(at);
      const socket = connect(Number(port), hostname);
      onCleanup(() => socket.destroy());
      socket.write(`${head}\r\n\r\nhalf`);
    }
    await begun;
    const limit = holdTimers(10_000);
    let isClosed = false;
    const closed = service.close().then(() => {
      isClosed = true;
    });
    // In the time of several looks for idle connections.
    await delay(100);
    expect(isClosed).to.equal(false);
    limit.end();
    // Without that limit, it would be closed 20 s after it came.
    expect(await Promise.race([closed, delay(5_000, "goes on")])).to.equal(undefined);
  });
});
