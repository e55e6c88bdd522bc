import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import type { OwnConsumer } from "../../../packages/dev/demo/config.ts";
import { findDemo } from "../../../packages/dev/internal/findDemo.ts";
import { serveDemo } from "../../../packages/dev/internal/serveDemo.ts";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { rejection } from "../../fixtures/rejection.ts";

describe("The demo as it is served", function () {
  this.timeout(30_000);
  const own: OwnConsumer[] = [];

  async function serve(port = 0) {
    const config = {
      chainId: 84532,
      rpcUrl: "http://127.0.0.1:8545/path",
      registry: "0x12",
      signerUrl: "http://127.0.0.1:3000",
      sandboxUrl: "http://127.0.0.1:41000",
      consumers: {},
      codes: {},
    };
    const bundle = await findDemo();
    const demo = await serveDemo({ config, listOwn: () => own, bundle, port });
    onCleanup(() => demo.close());
    return { ...demo, config };
  }

  it("may be framed by nobody, and reaches its own origin, the node, the service and the sandbox alone", async () => {
    const { url } = await serve();
    for (const path of ["", "config.json"]) {
      const { headers } = await fetch(`${url}/${path}`);
      const policy = headers.get("content-security-policy")?.replaceAll(/sha256-[\w+/]{43}=/g, "#");
      expect(policy, path).to.equal(
        "default-src 'none'; script-src '#'; style-src '#' '#'; font-src 'self'; img-src 'self' data:; " +
          "connect-src 'self' http://127.0.0.1:8545 http://127.0.0.1:3000 http://127.0.0.1:41000; " +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(headers.get("x-content-type-options"), path).to.equal("nosniff");
      expect(headers.get("cache-control"), path).to.equal("no-store");
      expect(headers.get("x-powered-by"), path).to.equal(null);
    }
  });

  it("has its page, and nothing else", async () => {
    const { url } = await serve();
    const { status, headers } = await fetch(url);
    expect([status, headers.get("content-type")]).to.deep.equal([200, "text/html; charset=utf-8"]);
    for (const path of ["assets", "assets/", "%2e%2e/index.html", "index.html", "verify"]) {
      expect((await fetch(`${url}/${path}`)).status, path).to.be.within(400, 404);
    }
  });

  it("sends its page and addresses compressed to browsers that accept that", async () => {
    const { url } = await serve();
    const read = async (path: string, encoding: string) => {
      const got = request(`${url}/${path}`, { headers: { "accept-encoding": encoding } }).end();
      const [response] = (await once(got, "response")) as [IncomingMessage];
      return { headers: response.headers, body: await buffer(response) };
    };
    for (const path of ["", "config.json"]) {
      const plain = await read(path, "identity");
      expect(plain.headers, path).to.include({ vary: "Accept-Encoding" });
      expect(plain.headers["content-encoding"], path).to.equal(undefined);
      const packed = await read(path, "gzip");
      expect(packed.headers, path).to.include({ "content-encoding": "gzip", vary: "Accept-Encoding" });
      expect(gunzipSync(packed.body).equals(plain.body), path).to.equal(true);
    }
    const { headers, body } = await read("", "gzip, deflate, br");
    expect(headers["content-encoding"]).to.equal("br");
    expect(body.length).to.be.within(1_000, 60_000);
  });

  it("leads from an address that it does not have to its page", async () => {
    const { url } = await serve();
    const missing = await fetch(`${url}/missing/page`, { headers: { "accept-language": "es" } });
    expect(missing.status).to.equal(404);
    expect(missing.headers.get("vary")).to.equal(null);
    expect(await missing.text())
      .to.include("<h1>Page not found</h1>")
      .and.include('href="/"')
      .and.include('<html lang="en">')
      .and.not.include("Español");
  });

  it("tells the stack's addresses, how to forward them, and the project's consumers as they are when it is loaded", async () => {
    const { url, config } = await serve();
    const read = async () => (await fetch(`${url}/config.json`)).json();
    const ports = [8545, 3000, 41000, Number(new URL(url).port)];
    const forwarding = `ssh -N ${ports.map((port) => `-L ${port}:127.0.0.1:${port}`).join(" ")} user@host`;
    const served = { ...config, demoUrl: url, forwarding };
    expect(await read()).to.deep.equal({ ...served, own: [] });
    own.push({ name: "Airdrop", address: "0x34", abi: [] });
    expect(await read()).to.deep.equal({ ...served, own });
  });

  it("stops at once, though somebody has a request half sent", async () => {
    const { url, close } = await serve();
    const { port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: ");
    await once(socket, "connect");
    // Until the server has it, too.
    await fetch(url);
    const ended = once(socket, "close");
    await close();
    await ended;
  }).timeout(5_000);

  it("listens on this machine alone, and says when the port is taken", async () => {
    const { url } = await serve();
    const { port } = new URL(url);
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((each) => each?.family === "IPv4" && !each.internal);
    for (const other of others) {
      const refused = await new Promise((resolve) => {
        request({ host: other?.address, port }, () => resolve("answered"))
          .once("error", resolve)
          .end();
      });
      expect(Object(refused).code, other?.address).to.equal("ECONNREFUSED");
    }
    const taken = await rejection(serve(Number(port)));
    expect(taken).to.be.instanceOf(InvalidInputError);
    expect(taken.message).to.equal(`The demo cannot listen on port ${port} (EADDRINUSE).`);
  });
});
