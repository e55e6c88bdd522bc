import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { brakedRegistry, patienceMs } from "../../fixtures/signer/brakedRegistry.ts";
import { prepareTestWatch, runTestWatch } from "../../fixtures/signer/runningWatch.ts";

describe("The webhook of identity-signer watch", function () {
  this.timeout(120_000);
  let watched: Awaited<ReturnType<typeof brakedRegistry>>;

  before(async () => {
    watched = await brakedRegistry();
  });
  beforeEach(async () => await watched.restore());

  it("posts what it tells to a webhook, again after a failure, and never says where", async () => {
    const bodies: Record<string, string>[] = [];
    let failures = 1;
    const { url } = await serveHttp(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      bodies.push(JSON.parse(text));
      response.writeHead(failures-- > 0 ? 503 : 204).end();
    });
    const hook = `${url}/secret-of-the-hook`;
    const watching = await runTestWatch({ ...watched.environment, IDENTITY_WATCH_WEBHOOK: hook });
    await watched.forgeClaim();
    await watching.waitFor("forged", patienceMs);
    await delay(3_000);
    expect(bodies.map(({ event }) => event)).to.deep.equal(["watching", "watching", "forged"]);
    // As Slack and Discord show it.
    expect(bodies.at(-1)?.text).to.match(/^FORGED CLAIM at 0x\w{40} in block \d+, /);
    expect(bodies.at(-1)?.content).to.equal(bodies.at(-1)?.text);
    expect(JSON.stringify(watching.events)).not.to.include("secret-of-the-hook");
  });

  it("ends only after its last posts, when it is asked to end", async () => {
    let answered = 0;
    const { url } = await serveHttp(async (request, response) => {
      for await (const _ of request);
      await delay(500);
      response.writeHead(204).end(() => answered++);
    });
    const watching = await runTestWatch({ ...watched.environment, IDENTITY_WATCH_WEBHOOK: url });
    await delay(1_000);
    const before = answered;
    await watched.forgeClaim();
    await watching.waitFor("forged", patienceMs);
    await watching.stop();
    expect(answered).to.equal(before + 1);
  });

  it("posts a forged claim after a restart if the webhook was away before, and no second time once it took it", async () => {
    const posted: string[] = [];
    let isAway = true;
    const { url } = await serveHttp(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      if (!isAway) posted.push(JSON.parse(text).event);
      response.writeHead(isAway ? 503 : 204).end();
    });
    const withHook = { ...watched.environment, IDENTITY_WATCH_WEBHOOK: url };
    const before = await runTestWatch(withHook);
    const { positionFile } = before;
    await watched.forgeClaim();
    await before.waitFor("forged", patienceMs);
    await before.stop();
    isAway = false;
    const after = await prepareTestWatch(withHook, { positionFile });
    expect((await after.once()).forged).to.have.length(1);
    expect(posted).to.deep.equal(["watching", "forged"]);
    const later = await prepareTestWatch(withHook, { positionFile });
    expect((await later.once()).forged).to.have.length(0);
    expect(posted).to.deep.equal(["watching", "forged", "watching"]);
  });
});
