import { connect } from "node:net";
import { expect } from "chai";
import { loadConfig } from "../../../signer/index.ts";
import { sendRaw } from "../../fixtures/rawHttp.ts";
import { startStack } from "../../fixtures/signer/stack.ts";

describe("A flood", () => {
  it("of headers is cut off at 16 kB", async () => {
    const { service } = await startStack();
    const ask = async (size: number) =>
      sendRaw(
        service.port,
        "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n",
        `X-Long: ${"y".repeat(size)}\r\n\r\n`,
      );
    expect(await ask(15_000)).to.match(/^HTTP\/1\.1 200 /);
    const refused = await ask(17_000);
    expect(refused).to.match(/^HTTP\/1\.1 400 /);
    expect(refused).to.include('"code":"invalid_argument"').and.include("Connection: close");
    expect(service.log.join("")).not.to.include("yyy");
  });

  it("from one IPv6 network counts as one client's, however many addresses it has", async () => {
    const { url } = await startStack({ IDENTITY_RATE_LIMIT: "2", IDENTITY_TRUST_PROXY: "1" });
    const post = async (address: string) => {
      const headers = { "x-forwarded-for": address };
      return (await fetch(`${url}/v1/onchain_verifications`, { method: "POST", headers, body: "{}" })).status;
    };
    const statuses = [];
    for (const end of ["1::1", "2::1", "ff::1"]) statuses.push(await post(`2001:db8:0:${end}`));
    expect(statuses).to.deep.equal([415, 415, 429]);
    expect(await post("2001:db8:0:1ff::1")).to.equal(415);
  });

  it("is bounded by default", async () => {
    const { rpcUrl, registry } = await startStack();
    const { rateLimit } = loadConfig({ IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: registry });
    expect(rateLimit).to.be.within(1, 1_000);
  });

  it("of requests whose answers nobody reads keeps no connection, and nobody else waiting", async () => {
    const { url, service } = await startStack();
    const pipelined = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1_000);
    const ended = Array.from({ length: 20 }, async () => {
      const socket = connect(service.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(pipelined);
      // An end is seen without a read only where something is written.
      const knock = setInterval(() => socket.write("\r\n"), 20);
      await new Promise((resolve) => socket.pause().once("close", resolve));
      clearInterval(knock);
    });
    expect((await fetch(`${url}/openapi.json`)).status).to.equal(200);
    await Promise.all(ended);
  });
});
