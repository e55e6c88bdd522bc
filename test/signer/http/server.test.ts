import { once } from "node:events";
import { Agent, type RequestListener, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { pino } from "pino";
import { createHttpServer, holdRequests, serve } from "../../../signer/internal/http/server.ts";
import { sendRaw } from "../../fixtures/rawHttp.ts";

describe("The HTTP server", function () {
  this.timeout(20_000);
  const servers: Server[] = [];
  const log: string[] = [];
  const logger = pino({}, { write: (line) => void log.push(line) });

  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  const short = { headersTimeout: 40, requestTimeout: 80, connectionsCheckingInterval: 10, timeout: 30_000 };
  const patient = { ...short, headersTimeout: 60_000, requestTimeout: 60_000 };

  async function start(lingerLimit?: number, limits = short, app: RequestListener = () => undefined) {
    const server = createHttpServer(limits);
    servers.push(server);
    serve(server, app, { logger, lingerLimit });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return { server, port: (server.address() as AddressInfo).port };
  }

  describe("to a client that reads nothing", () => {
    /** More than what the system takes from a process for a client that does not read. */
    const large = Buffer.alloc(64_000_000);

    /** Sends something, reads nothing, and waits until the server has ended the connection. */
    async function untilEnded({ server, port }: Awaited<ReturnType<typeof start>>, sent: string) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined).pause();
      const [held] = await once(server, "connection");
      socket.write(sent);
      if (!held.destroyed) await once(held, "close");
      socket.destroy();
    }

    it("ends the connection at a second request", async () => {
      let asked = 0;
      const started = await start(undefined, patient, (_request, response) => {
        asked++;
        response.end(large);
      });
      await untilEnded(started, "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1_000));
      expect(asked).to.equal(1);
    });

    it("ends the connection at a second request with Expect, and while the service starts", async () => {
      const server = createHttpServer(patient);
      servers.push(server);
      const held = holdRequests(server);
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      await untilEnded({ server, port }, "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2));
      let asked = 0;
      const app: RequestListener = (_request, response) => {
        asked++;
        response.end(large);
      };
      serve(server, app, { logger });
      held.release();
      expect(asked).to.equal(1);
      const expecting = "GET / HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\n\r\n";
      await untilEnded({ server, port }, expecting.repeat(2));
      expect(asked).to.equal(2);
    });

    it("ends the connection once nothing moves", async () => {
      const started = await start(undefined, { ...patient, timeout: 50 }, (_request, response) => {
        response.end(large);
      });
      await untilEnded(started, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    });
  });

  it("answers one request after the other over one connection", async () => {
    const { server, port } = await start(undefined, patient, (received, response) => {
      received.resume().once("end", () => response.end("x".repeat(100_000)));
    });
    let connections = 0;
    server.on("connection", () => connections++);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = () =>
      new Promise<string>((resolve, reject) => {
        const sent = request({ port, agent, method: "POST" }, (answer) => text(answer).then(resolve, reject));
        sent.once("error", reject).end("x".repeat(100_000));
      });
    for (let i = 0; i < 50; i++) expect(await ask()).to.have.length(100_000);
    agent.destroy();
    expect(connections).to.equal(1);
  });

  it("keeps an idle connection of a trusted proxy, and no other", async () => {
    const untilClosed = async (trustProxy: number) => {
      const server = createHttpServer(patient);
      server.keepAliveTimeout = 10;
      servers.push(server);
      serve(server, (_request, response) => response.end("answered"), { logger, trustProxy });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      await once(socket.resume(), "data");
      // Node adds a second to its limit.
      const open = delay(1_500).then(() => "open");
      return await Promise.race([once(socket, "close").then(() => "closed"), open]);
    };
    expect(await Promise.all([untilClosed(0), untilClosed(1)])).to.deep.equal(["closed", "open"]);
  });

  it("keeps no silent connection", async () => {
    const { server, port } = await start(10);
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const [held] = await once(server, "connection");
    expect(await text(socket)).to.match(/^HTTP\/1\.1 400 /);
    expect(socket.writable).to.equal(true);
    if (!held.destroyed) await once(held, "close");
  });

  it("answers a client that uses it as a proxy", async () => {
    const { port } = await start();
    const socket = connect(port, "127.0.0.1");
    socket.write("CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n");
    const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
    const [status, id = "", ...headers] = head.split("\r\n");
    expect([status, ...headers]).to.deep.equal([
      "HTTP/1.1 400 Bad Request",
      "Content-Type: application/problem+json; charset=utf-8",
      `Content-Length: ${body.length}`,
      "Cache-Control: no-store",
      "Connection: close",
    ]);
    const code = "invalid_argument";
    const detail = "The service is not a proxy: it does not accept CONNECT.";
    expect(JSON.parse(body)).to.include({ code, status: 400, detail });
    const line = JSON.parse(log.at(-1) ?? "");
    expect(line).to.include({ level: 30, route: "none", status: 400, code, msg: "request" });
    expect(id).to.equal(`x-request-id: ${line.requestId}`);
  });

  it("answers a request at which the app throws, and goes on", async () => {
    const { port } = await start(undefined, short, (request, response) => {
      if (request.url === "/sent") response.write("first");
      if (request.url !== "/good") throw new TypeError(`A secret: ${request.url}`);
      response.end("answered");
    });
    const ask = (path: string) =>
      sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const answer = await ask("/bad");
    expect(answer)
      .to.match(/^HTTP\/1\.1 500 Internal Server Error\r\n/)
      .and.include("\r\nConnection: close\r\n");
    const detail = "Something went wrong in the service; its log has the x-request-id.";
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).to.include({ code: "internal", detail });
    const [failed, request] = log.slice(-2).map((line) => JSON.parse(line));
    expect(failed).to.include({ level: 50, error: "TypeError", msg: "A request failed." });
    expect(request).to.include({ status: 500, code: "internal", requestId: failed.requestId });
    expect(answer).to.include(`x-request-id: ${failed.requestId}`);
    expect(failed.frames).not.to.be.empty;
    expect(log.join("")).not.to.include("A secret");
    expect(await ask("/sent")).to.equal("");
    expect(await ask("/good")).to.include("answered");
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
