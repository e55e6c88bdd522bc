import { once } from "node:events";
import { cpSync, rmSync } from "node:fs";
import { Agent, createServer, get } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { findVerifyPage } from "../../../packages/verify-page/bundle.ts";
import { boundConnections } from "../../../signer/internal/limits/boundConnections.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { sendRaw } from "../../fixtures/rawHttp.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { serveVerifyPage, startStack } from "../../fixtures/signer/stack.ts";
import { skip } from "../../fixtures/skip.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

describe("A flood", () => {
  it("is refused when its headers exceed 16 kB", async () => {
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

  it("from one IPv6 network counts as one client's", async () => {
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

  /** Opens connections one after the other, and asks for nothing over them. */
  async function openConnections(port: number, count: number, localAddress = "127.0.0.1") {
    const sockets: Socket[] = [];
    for (let i = 0; i < count; i++) {
      const socket = connect({ port, host: "127.0.0.1", localAddress });
      socket.on("error", () => undefined).resume();
      await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
      sockets.push(socket);
    }
    onCleanup(() => sockets.map((socket) => socket.destroy()));
    return sockets;
  }

  it("of connections from one address ends at a hundred", async () => {
    const { url, service } = await startStack({ IDENTITY_RATE_LIMIT: "600" });
    const [first, ...others] = await openConnections(service.port, 100);
    const [another] = await openConnections(service.port, 1);
    if (!another?.destroyed) await new Promise((resolve) => another?.once("close", resolve));
    expect(others.some(({ destroyed }) => destroyed)).to.equal(false);
    first?.destroy();
    // As soon as the service has seen that one has left, there is room for another.
    const ask = async () => (await fetch(`${url}/metrics`)).text();
    let metrics = "";
    while (metrics === "") metrics = await ask().catch(() => "");
    expect(metrics).to.match(/^identity_rate_limited_total\{limit="connections"\} [1-9]/m);
  });

  it("of connections from a trusted proxy is for the proxy to limit", async () => {
    for (const env of [{ IDENTITY_RATE_LIMIT: "600", IDENTITY_TRUST_PROXY: "loopback" }, {}]) {
      const { url, service } = await startStack(env);
      const sockets = await openConnections(service.port, 120);
      expect((await fetch(`${url}/healthz`)).status).to.equal(200);
      expect(sockets.some(({ destroyed }) => destroyed)).to.equal(false);
    }
  });

  for (const each of [1, 50]) {
    it(`of connections from many addresses, ${each} from each, keeps nobody out`, async function () {
      if (process.platform !== "linux") {
        skip(this, "this machine has one address on loopback", "Linux, where it has millions");
      }
      // Without limits of time, however slow the machine is.
      const limits = { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 };
      const server = createServer(limits, (_request, response) => response.end());
      let closed = 0;
      boundConnections(server, 600, 0, () => closed++);
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      onCleanup(() => {
        agent.destroy();
        server.close();
        server.closeAllConnections();
      });
      const ask = () =>
        new Promise((resolve, reject) => {
          const sent = get({ port, host: "127.0.0.1", agent }, (response) => {
            response.resume().once("end", () => resolve(sent.reusedSocket ? "same" : "new"));
          });
          sent.once("error", reject);
        });

      expect(await ask()).to.equal("new");
      const sockets: Socket[] = [];
      for (let address = 0; address < 600 / each; address++) {
        const from = `127.1.${address >> 7}.${1 + (address & 127)}`;
        sockets.push(...(await openConnections(port, each, from)));
        if (address % 50 === 0) expect(await ask()).to.equal("same");
      }
      while (sockets.filter(({ destroyed }) => destroyed).length < 101) await setImmediate();
      expect([sockets[0]?.destroyed, sockets.at(-1)?.destroyed]).to.deep.equal([true, false]);
      expect(await ask()).to.equal("same");
      expect(closed).to.equal(101);
    });
  }

  it("of chunks of one byte is read no faster than a client's requests may come", async function () {
    if (process.platform !== "linux") {
      skip(this, "this machine has one address on loopback", "Linux, where it has millions");
    }
    this.timeout(60_000);
    const server = createServer((request, response) => {
      request.on("error", () => undefined).resume();
      if (request.method === "GET") response.end();
    });
    const received: Socket[] = [];
    server.on("connection", (socket) => received.push(socket));
    boundConnections(server, 600, 0, () => undefined);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const chunks = Buffer.from("1\r\nx\r\n".repeat(10_000));
    const attackers = Array.from({ length: 10 }, () => {
      const socket = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.3" });
      const send = () => void (socket.writable && socket.write(chunks, send));
      socket.on("error", () => undefined).resume();
      socket.write("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", send);
      return socket;
    });
    onCleanup(() => {
      for (const socket of attackers) socket.destroy();
      server.close();
      server.closeAllConnections();
    });
    const read = () => received.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    while (read() < 500_000) await delay(50);
    await delay(500);
    const [before, since] = [read(), performance.now()];
    const agent = new Agent({ localAddress: "127.0.0.2" });
    await new Promise((resolve, reject) => {
      get({ port, host: "127.0.0.1", agent }, (response) => response.resume().once("end", resolve)).once(
        "error",
        reject,
      );
    });
    await delay(3_000);
    // Bytes in a millisecond. Without the bound, these are megabytes a second.
    expect((read() - before) / (performance.now() - since)).to.be.below(160);
  });

  it("of languages and encodings is answered in English, uncompressed", async () => {
    const { url } = await serveVerifyPage();
    const open = async (wishes: string) =>
      (await fetch(url, { headers: { accept: "text/html", "accept-language": wishes } })).text();
    const many = (first: string) => `${first}, ${"a, ".repeat(400)}b`;
    expect(await open("es, a, b")).to.include('<html lang="es">');
    expect(await open(many("es"))).to.include('<html lang="en">');
    const load = async (wishes: string) =>
      (await fetch(`${url}/verify`, { headers: { "accept-encoding": wishes } })).headers;
    expect((await load("br, a, b")).get("content-encoding")).to.equal("br");
    expect((await load("br".padEnd(1_000, ",a"))).get("content-encoding")).to.equal("br");
    expect((await load("br,".padEnd(1_001, ",a"))).get("content-encoding")).to.equal(null);
    expect((await load("")).get("vary")).to.equal("Accept-Encoding");
    expect((await fetch(`${url}/verify`, { method: "HEAD" })).status).to.equal(200);
  });

  it("of requests for the page opens no file", async () => {
    const folder = await temporaryFolder();
    cpSync(await findVerifyPage(), folder, { recursive: true });
    const { environment } = await startStack();
    const { url } = await startTestSigner(environment, { bundle: folder });
    rmSync(folder, { recursive: true });
    expect((await fetch(`${url}/verify`)).status).to.equal(200);
  });

  it("of unread answers keeps nobody waiting", async () => {
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
