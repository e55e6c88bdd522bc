import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { pino } from "pino";
import { createHttpServer, serve } from "../../../signer/internal/http/server.ts";

describe("The HTTP server", function () {
  this.timeout(20_000);
  const servers: Server[] = [];

  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  it("gives a client ten seconds for its headers, and twenty for a request", () => {
    const { headersTimeout, requestTimeout } = createHttpServer();
    expect({ headersTimeout, requestTimeout }).to.deep.equal({
      headersTimeout: 10_000,
      requestTimeout: 20_000,
    });
  });

  async function start(lingerLimit?: number) {
    const server = createHttpServer({
      headersTimeout: 40,
      requestTimeout: 80,
      connectionsCheckingInterval: 10,
    });
    servers.push(server);
    serve(server, () => undefined, pino({ enabled: false }), lingerLimit);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return { server, port: (server.address() as AddressInfo).port };
  }

  it("keeps no connection of a client that neither says anything nor leaves", async () => {
    const { server, port } = await start(10);
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const [held] = await once(server, "connection");
    expect(await text(socket)).to.match(/^HTTP\/1\.1 400 /);
    expect(socket.writable).to.equal(true);
    if (!held.destroyed) await once(held, "close");
  });

  for (const [what, sent] of [
    ["headers that never end", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "],
    ["a body that never comes", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"],
  ] as const) {
    it(`cuts off ${what}`, async () => {
      const { port } = await start();
      const socket = connect(port, "127.0.0.1");
      socket.write(sent);
      const answer = await text(socket);
      expect(answer).to.match(/^HTTP\/1\.1 4\d\d /);
      expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).to.include({ code: "invalid_argument" });
    });
  }
});
