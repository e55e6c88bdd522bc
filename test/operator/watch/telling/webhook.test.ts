import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { openWebhook } from "../../../../packages/operator/watch/telling/webhook.ts";
import { holdTimeLimits } from "../../../fixtures/holdTimers.ts";
import { serveHttp } from "../../../fixtures/httpServer.ts";
import { root, runProcess } from "../../../fixtures/tasks/hardhat.ts";

const begins = "The webhook did not take an event: it answered HTTP 503. The event is posted again.";

describe("The webhook of a watch", () => {
  /** A receiver that refuses so many requests, and what it was sent. */
  async function fixture(refusals: number, status = 503) {
    const received: string[] = [];
    const problems: string[] = [];
    const types = new Set<unknown>();
    let left = refusals;
    const { url } = await serveHttp(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      received.push(JSON.parse(text).event);
      types.add(request.headers["content-type"]);
      response.writeHead(left-- > 0 ? status : 204).end();
    });
    const webhook = openWebhook(url, (problem) => problems.push(problem), [1, 2, 3, 4]);
    const refuse = (times: number) => {
      left = times;
    };
    return { webhook, received, problems, types, refuse };
  }

  it("gets an event that it has refused four times, and then the next one", async () => {
    const { webhook, received, problems, types } = await fixture(4);
    const timers = () => process.getActiveResourcesInfo().filter((what) => what === "Timeout").length;
    const before = timers();
    for (const event of ["one", "two"]) webhook.send({ event }, false);
    await webhook.drain(20_000);
    expect(timers(), "nothing keeps the process alive").to.equal(before);
    expect([...types]).to.deep.equal(["application/json"]);
    expect(received).to.deep.equal(["one", "one", "one", "one", "one", "two"]);
    expect(problems).to.deep.equal([begins]);
  });

  it("is reported as failed when it refuses an event five times, and gets the next one", async () => {
    const { webhook, received, problems } = await fixture(5);
    for (const event of ["one", "two"]) webhook.send({ event }, false);
    await webhook.drain(20_000);
    expect(received).to.deep.equal(["one", "one", "one", "one", "one", "two"]);
    expect(problems).to.deep.equal([begins, "The webhook never took an event: it answered HTTP 503."]);
  });

  it("that refuses an event for what it is gets the next one at once", async () => {
    const { webhook, received, problems } = await fixture(1, 400);
    for (const event of ["one", "two"]) webhook.send({ event }, false);
    await webhook.drain(20_000);
    expect(received).to.deep.equal(["one", "two"]);
    expect(problems).to.deep.equal(["The webhook never took an event: it answered HTTP 400."]);
  });

  it("gets nothing more once its time at the end of a watch is over", async () => {
    const { webhook, received } = await fixture(9);
    webhook.send({ event: "one" }, false);
    webhook.send({ event: "two" }, false);
    await webhook.drain(1);
    const before = received.length;
    await delay(200);
    expect(received.length).to.be.at.most(before + 1);
    expect(received).not.to.include("two");
  });

  it("gets all of a hundred events that happen at once, in their order", async () => {
    const { webhook, received } = await fixture(0);
    const events = Array.from({ length: 100 }, (_, i) => `event ${i}`);
    for (const event of events) webhook.send({ event }, false);
    await webhook.drain(20_000);
    expect(received).to.deep.equal(events);
  });

  it("has five seconds to take an event, and is reported as one that does not answer after them", async () => {
    const held = holdTimeLimits();
    const asked = new Promise<string>((resolve, reject) => {
      serveHttp(() => held.end()).then(({ url }) => {
        const webhook = openWebhook(url, resolve, []);
        webhook.send({ event: "watching" }, false);
      }, reject);
    });
    expect(await asked).to.equal(
      "The webhook did not take an event: it did not answer in 5 s. The event is posted again.",
    );
    expect(held.limits).to.deep.equal([5_000]);
  });

  it("is reported as one that begins to fail once, though it refuses the next event as well", async () => {
    const { webhook, received, problems } = await fixture(8);
    for (const event of ["one", "two"]) webhook.send({ event }, false);
    await webhook.drain(20_000);
    expect(received.filter((event) => event === "two")).to.have.length(4);
    expect(problems).to.deep.equal([begins, "The webhook never took an event: it answered HTTP 503."]);
  });

  it("is reported as failed for an event for which a thousand others leave no room, unless anybody can cause it", async () => {
    const { webhook, received, problems } = await fixture(0);
    // The first one is on its way, and the others wait.
    for (let i = 0; i < 1_001; i++) webhook.send({ event: `${i}` }, false);
    webhook.send({ event: "minor" }, true);
    expect(problems).to.deep.equal([]);
    webhook.send({ event: "late" }, false);
    expect(problems).to.deep.equal(["The webhook never took an event: 1000 others wait for it."]);
    await webhook.drain(20_000);
    expect([received.length, received.at(-1)]).to.deep.equal([1_001, "1000"]);
  });

  it("is reported anew when it begins to fail after it had never taken one", async () => {
    const { webhook, problems, refuse } = await fixture(5);
    for (const event of ["one", "two", "three"]) {
      webhook.send({ event }, false);
      await webhook.drain(20_000);
      if (event === "two") refuse(1);
    }
    const never = "The webhook never took an event: it answered HTTP 503.";
    expect(problems).to.deep.equal([begins, never, begins]);
  });

  it("gets no event that anybody can cause while another one waits, and gets it later", async () => {
    const { webhook, received } = await fixture(0);
    for (const event of ["one", "two"]) webhook.send({ event }, false);
    webhook.send({ event: "minor" }, true);
    webhook.send({ event: "three" }, false);
    await webhook.drain(20_000);
    webhook.send({ event: "minor" }, true);
    await webhook.drain(20_000);
    expect(received).to.deep.equal(["one", "two", "three", "minor"]);
  });

  it("that refuses every event is waited for to the end of a process, and not longer than was asked", async () => {
    const { url } = await serveHttp((_request, response) => void response.writeHead(503).end());
    const program = `
      import { openWebhook } from "${root}/packages/operator/watch/telling/webhook.ts";
      const webhook = openWebhook("${url}", () => undefined);
      webhook.send({ event: "watching" }, false);
      await webhook.drain(300);
      console.log("ended");`;
    const run = ["--input-type=module", "--eval", program];
    expect(await runProcess(process.execPath, run)).to.include({ code: 0, stdout: "ended\n" });
  });

  for (const [what, status, headers, problem] of [
    ["redirects", 301, { location: "/elsewhere" }, "HTTP 301, a redirect, which is not followed"],
    ["is not there", 404, {}, "HTTP 404"],
  ] as const) {
    it(`that ${what} is told at its first refusal, without its URL, and is asked nowhere else`, async () => {
      const asked: string[] = [];
      const { url } = await serveHttp((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        response.writeHead(status, headers).end();
      });
      const told = new Promise<string>((resolve) => {
        openWebhook(`${url}/secret-of-the-hook`, resolve).send({ event: "watching" }, false);
      });
      expect(await told).to.equal(
        `The webhook did not take an event: it answered ${problem}. The event is posted again.`,
      );
      await delay(200);
      expect(asked, "posted again after a second").to.deep.equal(["POST /secret-of-the-hook"]);
    });
  }
});
