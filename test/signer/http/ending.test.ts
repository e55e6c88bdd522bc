import { expect } from "chai";
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
});
