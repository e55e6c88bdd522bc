import { expect } from "chai";
import { serveHttp } from "../fixtures/httpServer.ts";
import { startTestSigner } from "../fixtures/signer/signer.ts";
import { signedRequest } from "../fixtures/signer/signIn.ts";
import { startStack } from "../fixtures/signer/stack.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

describe("The trace of a request", () => {
  /** A service whose node's requests are seen. */
  async function fixture() {
    const stack = await startStack();
    const seen: { traceparent: unknown; tracestate: unknown }[] = [];
    const node = await serveHttp(async (request, response) => {
      const { traceparent, tracestate } = request.headers;
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk);
      seen.push({ traceparent, tracestate });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(stack.rpcUrl, { method: "POST", headers, body: Buffer.concat(chunks) });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    const service = await startTestSigner({
      ...stack.environment,
      IDENTITY_RPC_URL: node.url,
      IDENTITY_DATABASE_URL: stack.service.config.databaseUrl,
    });
    const { wallet, address } = await stack.participate();
    /** Asks for a verification; answers what the node saw for it, and the request's line of the log. */
    async function ask(headers: Record<string, string>) {
      seen.length = 0;
      const from = service.log.length;
      const response = await fetch(`${service.url}/v1/onchain_verifications`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(await signedRequest(wallet, address)),
      });
      expect(response.status).to.equal(200);
      await response.text();
      let line: Record<string, unknown> | undefined;
      while (line === undefined) {
        await new Promise((resolve) => setImmediate(resolve));
        line = service.log
          .slice(from)
          .map((each) => JSON.parse(each))
          .find(({ msg }) => msg === "request");
      }
      return { seen: [...seen], line };
    }
    return { stack, service, ask, address };
  }

  it("goes on to the node, and into the log", async () => {
    const { ask } = await fixture();
    const { seen, line } = await ask({
      traceparent,
      tracestate: "rojo=00f067aa0ba902b7 , congo=t61rcWkgMzE",
    });
    expect(seen).not.to.deep.equal([]);
    for (const each of seen) {
      expect(each).to.deep.equal({ traceparent, tracestate: "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE" });
    }
    expect(line.traceId).to.equal(traceId);
    const later = await ask({});
    expect(new Set(later.seen.map((each) => each.traceparent))).to.deep.equal(new Set([undefined]));
    expect(later.line).not.to.have.property("traceId");
  });

  it("is on the lines of a refusal, too", async () => {
    const { service } = await fixture();
    const answer = await fetch(`${service.url}/v1/onchain_verifications`, {
      method: "PUT",
      headers: { traceparent },
    });
    expect(answer.status).to.equal(405);
    await answer.text();
    while (!service.log.join("").includes(traceId)) await new Promise((resolve) => setImmediate(resolve));
  });

  it("is taken from a later version as far as that is known", async () => {
    const { ask } = await fixture();
    const { seen, line } = await ask({ traceparent: `cc-${traceId}-b7ad6b7169203331-01-what-comes` });
    expect(seen[0]?.traceparent).to.equal(traceparent);
    expect(line.traceId).to.equal(traceId);
  });

  it("is ignored where it is malformed, and never logged", async () => {
    const { ask, service } = await fixture();
    for (const malformed of [
      "recognisable",
      `${traceparent}-more`,
      traceparent.toUpperCase(),
      `ff-${traceId}-b7ad6b7169203331-01`,
      `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
      `00-${traceId}-${"0".repeat(16)}-01`,
      `${traceparent}, ${traceparent}`,
      `01-${traceId}-b7ad6b7169203331-01-${"x".repeat(300)}`,
    ]) {
      const { seen, line } = await ask({ traceparent: malformed, tracestate: "a=1" });
      expect(new Set(seen.map((each) => each.traceparent ?? each.tracestate)), malformed).to.deep.equal(
        new Set([undefined]),
      );
      expect(line).not.to.have.property("traceId");
    }
    for (const state of [
      "",
      "recognisable",
      "A=1",
      "a=1,a=2",
      `a=${"x".repeat(513)}`,
      "a=b=c",
      Array.from({ length: 33 }, (_, i) => `k${i}=1`).join(","),
    ]) {
      const { seen } = await ask({ traceparent, tracestate: state });
      expect(seen[0], state).to.deep.equal({ traceparent, tracestate: undefined });
    }
    expect(service.log.join("")).not.to.match(/recognisable|b7ad6b7169203331|xxxx/);
  });

  it("may come from a browser", async () => {
    const { url } = await startStack();
    const { headers } = await fetch(`${url}/v1/onchain_verifications`, { method: "OPTIONS" });
    expect(headers.get("access-control-allow-headers")).to.include("traceparent, tracestate");
  });
});
