import { expect } from "chai";
import { openWebhook } from "../../../packages/operator/watch/webhook.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";

describe("The watch's webhook", () => {
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
      expect(asked).to.deep.equal(["POST /secret-of-the-hook"]);
    });
  }

  it("that fails is told once while its events are posted again, and each event arrives once it works", async () => {
    const problems: string[] = [];
    const taken: string[] = [];
    let failures = 1;
    const { url } = await serveHttp(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      if (failures-- > 0) return void response.writeHead(500).end();
      taken.push(JSON.parse(text).event);
      response.writeHead(204).end();
    });
    const webhook = openWebhook(url, (problem) => problems.push(problem));
    for (const event of ["first", "second"]) webhook.send({ event }, false);
    await webhook.drain(60_000);
    expect([taken, problems.length]).to.deep.equal([["first", "second"], 1]);
  });
});
