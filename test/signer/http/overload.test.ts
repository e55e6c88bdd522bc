import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { Wallet } from "ethers";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { holdTimers } from "../../fixtures/holdTimers.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { stopTime } from "../../fixtures/passTime.ts";
import { sendRaw } from "../../fixtures/rawHttp.ts";
import { readMetric } from "../../fixtures/signer/signer.ts";
import { signedRequest, signInMessage } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { postAs, seal } from "../../fixtures/signer/verifyCookies.ts";

/** A message that costs as much as one of 4,096 bytes can, and a signature that the node has to be asked about. */
function worstRequest(consumer: string) {
  const message = signInMessage({ address: Wallet.createRandom().address, consumer });
  const rest = 4_096 - message.length - "\n- a://".length;
  return { message: `${message}\n- a://${"!".repeat(rest)}`, signature: `0x${"11".repeat(65)}` };
}

describe("A client that sends more than can be done", () => {
  /**
   * A service behind a proxy that tells clients apart, in front of a node whose answers can be held. The test decides
   * when waiting requests and calls of the node are too late.
   */
  async function fixture(env: Readonly<Record<string, string>> = {}) {
    const patience = holdTimers(2_000);
    // The remaining time for calls of the node.
    holdTimers(4_000, 2_001);
    const stack = await startStack();
    const proxy = await serveProxy(stack.rpcUrl);
    const service = await stack.startReplica({
      IDENTITY_RPC_URL: proxy.url,
      IDENTITY_TRUST_PROXY: "1",
      IDENTITY_METRICS_PORT: "0",
      ...env,
    });
    const { url, metricsUrl } = service;
    const { wallet, address } = await stack.participate();
    const good = await signedRequest(wallet, address);
    const answered: string[] = [];
    const ask = async (client: string, body: object) => {
      const headers = { "content-type": "application/json", "x-forwarded-for": client };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      const response = await fetch(`${url}/v1/onchain_verifications`, init);
      const { code } = (await response.json()) as { code?: string };
      answered.push(client);
      return { status: response.status, code, retryAfter: response.headers.get("retry-after") };
    };
    const scrape = (name: string, queue: string) =>
      readMetric(metricsUrl ?? "", `identity_queue_${name}{queue="${queue}"}`);
    const untilWaiting = async (count: number, queue: string) => {
      while ((await scrape("waiting", queue)) !== count) await setImmediate();
    };
    /** Asks one by one, as more are refused in a burst, until 32 requests of a client run and 256 wait. */
    const fillLine = async (client: string) => {
      const asked: ReturnType<typeof ask>[] = [];
      while ((await scrape("waiting", "requests")) !== 256) asked.push(ask(client, good));
      return asked;
    };
    /** Has the node's answers wait until they are released. */
    const hold = async () => {
      // The metrics ask the node once a second: that second lasts until the end.
      stopTime();
      await scrape("waiting", "requests");
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      proxy.batches.length = 0;
      proxy.behaviour = { answer: () => held };
      return () => {
        proxy.behaviour = {};
        release();
      };
    };
    /** How often the node was asked to call a contract since its answers are held. */
    const isAsked = () => proxy.batches.filter((batch) => batch.includes("eth_call")).length;
    const untilAsked = async (count: number) => {
      while (isAsked() < count) await setImmediate();
    };
    const asks = { url, service, ask, fillLine, isAsked, untilAsked, scrape, untilWaiting };
    return { ...asks, proxy, consumer: address, good, answered, hold, patience };
  }

  const [flooder, other, third] = ["192.0.2.1", "192.0.2.2", "2001:db8::1"];
  const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

  it("keeps no other client waiting", async () => {
    const { consumer, good, ask, answered } = await fixture();
    const worst = worstRequest(consumer);
    const flood = times(40, () => ask(flooder, worst));
    expect((await ask(other, good)).status).to.equal(200);
    expect(answered.indexOf(other)).to.be.lessThan(30);
    for (const { status } of await Promise.all(flood)) expect(status).to.equal(400);
  });

  for (const asked of ["GET /", "GET /openapi.json", "GET /nothing", "POST /v1/onchain_verifications"]) {
    it(`takes turns with another client, though most is refused: ${asked}`, async () => {
      const { url } = await fixture({ IDENTITY_RATE_LIMIT: "5" });
      stopTime();
      // Otherwise the flooder would be alone, and have all turns.
      await fetch(url, { headers: { "x-forwarded-for": other } });
      const { hostname, port } = new URL(url);
      const connections = await Promise.all(
        [...times(40, () => flooder), other].map(async (client) => {
          const socket = connect(Number(port), hostname);
          const send = async (line: string) => {
            const headers = [
              `Host: ${hostname}`,
              `X-Forwarded-For: ${client}`,
              "Content-Type: application/json",
            ];
            socket.write([`${line} HTTP/1.1`, ...headers, "Content-Length: 2", "", "{}"].join("\r\n"));
            await once(socket, "data");
          };
          // The service accepts one connection in a turn.
          await send("GET /healthz");
          return { client, socket, send };
        }),
      );
      const answered: string[] = [];
      await Promise.all(
        connections.map(async ({ client, send }) => {
          await send(asked);
          answered.push(client);
        }),
      );
      for (const { socket } of connections) socket.destroy();
      expect(answered.indexOf(other)).to.be.lessThan(30);
    });
  }

  it("takes a share of the node's gas", async () => {
    const { proxy, consumer, good, ask, isAsked, untilAsked, untilWaiting, hold, patience } = await fixture();
    const release = await hold();
    const worst = worstRequest(consumer);
    const flood = times(20, () => ask(flooder, worst));
    await untilAsked(3);
    const meanwhile = ask(other, good);
    while (!proxy.batches.some((batch) => batch.includes("eth_getBlockByNumber"))) await setImmediate();
    await untilWaiting(17, "gas");
    expect(isAsked()).to.equal(4);
    patience.end();
    const refused = await Promise.race(flood);
    expect(refused).to.include({ status: 503, code: "overloaded" });
    expect(Number(refused.retryAfter)).to.be.greaterThan(0);
    release();
    expect((await meanwhile).status).to.equal(200);
    const codes = (await Promise.all(flood)).map(({ code }) => code);
    expect(codes.filter((code) => code === "invalid_argument")).to.have.length(3);
    expect(codes.filter((code) => code === "overloaded")).to.have.length(17);
  });

  it("has one contract read at a time", async () => {
    const { good, ask, isAsked, untilAsked, untilWaiting, hold, patience } = await fixture();
    const wallet = Wallet.createRandom();
    const release = await hold();
    const named = times(5, () => signedRequest(wallet, Wallet.createRandom().address));
    const flood = (await Promise.all(named)).map((body) => ask(flooder, body));
    await untilAsked(1);
    const meanwhile = ask(other, good);
    await untilAsked(2);
    await untilWaiting(4, "gas");
    expect(isAsked()).to.equal(2);
    patience.end();
    expect(await Promise.race(flood)).to.include({ status: 503, code: "overloaded" });
    release();
    expect((await meanwhile).status).to.equal(200);
    const codes = (await Promise.all(flood)).map(({ code }) => code);
    expect(codes.toSorted()).to.deep.equal(["contract_not_found", ...times(4, () => "overloaded")]);
  });

  it("keeps its places until each request is answered, on whatever that waits", async () => {
    const { url, service, scrape, untilWaiting, hold, isAsked } = await fixture();
    const issuedAt = new Date().toISOString();
    const wallets = times(40, () => Wallet.createRandom().address);
    const cookies = await Promise.all(
      wallets.map((wallet) => seal(service, "challenge", { wallet, nonce: wallet, issuedAt })),
    );
    const release = await hold();
    const signature = `0x${"11".repeat(65)}`;
    const flood = wallets.map((wallet, i) => postAs(cookies[i] ?? "", url, "link", { wallet, signature }));
    await untilWaiting(8, "requests");
    expect(isAsked()).to.equal(3);
    // The test's own requests come from the flooder's address, unless they say otherwise.
    const meanwhile = await fetch(`${url}/openapi.json`, { headers: { "x-forwarded-for": other } });
    expect(meanwhile.status).to.equal(200);
    release();
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(statuses).to.deep.equal(times(40, () => 400));
    expect(await scrape("waiting", "requests")).to.equal(0);
  });

  it("has no place for a request before it is there as a whole", async () => {
    const { url, scrape } = await fixture();
    const { hostname, port } = new URL(url);
    const sockets = times(70, () => connect(Number(port), hostname));
    const head = [
      "POST /verify/message HTTP/1.1",
      `Host: ${hostname}`,
      "Content-Type: application/json",
      "Content-Length: 2",
      "",
      "{",
    ].join("\r\n");
    await Promise.all(sockets.map(async (socket) => socket.write(head) || (await once(socket, "drain"))));
    expect((await fetch(`${url}/openapi.json`)).status).to.equal(200);
    expect(await scrape("waiting", "requests")).to.equal(0);
    for (const socket of sockets) socket.destroy();
  });

  it("gets its places back, however its requests end", async () => {
    const { url, service, scrape, hold, isAsked } = await fixture();
    const { hostname, port } = new URL(url);
    /** As many as a client has places for, each over a connection of its own, which ends without a look at the answer. */
    const leave = (sent: string) =>
      Promise.all(
        times(33, async () => {
          const socket = connect(Number(port), hostname).on("error", () => undefined);
          socket.write(sent);
          await once(socket, "data").catch(() => undefined);
          socket.destroy();
        }),
      );
    const post = (path: string, headers: readonly string[], body: string) => {
      const length = `Content-Length: ${body.length}`;
      return [`POST ${path} HTTP/1.1`, `Host: a`, length, ...headers, "", body].join("\r\n");
    };
    const json = ["Content-Type: application/json", `Origin: ${url}`];
    const requests = {
      "pipelined requests": "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3),
      HEAD: "HEAD /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n",
      OPTIONS: "OPTIONS /verify/link HTTP/1.1\r\nHost: a\r\n\r\n",
      "a path that cannot be decoded": "GET /verify/callback/%ff HTTP/1.1\r\nHost: a\r\n\r\n",
      "an upgrade": "GET /nothing HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n",
      "a body that nobody reads": post("/openapi.json", json, "{}"),
      "a body that is no JSON": post("/verify/message", json, "{"),
      "a body that is too large": post("/verify/message", json, " ".repeat(17_000)),
      "a verification that is refused": post("/v1/onchain_verifications", json, "{}"),
    };
    for (const [name, sent] of Object.entries(requests)) {
      await leave(sent);
      const [status] = (await sendRaw(Number(port), "GET /openapi.json HTTP/1.0\r\n\r\n")).split("\r\n");
      expect(status, name).to.equal("HTTP/1.1 200 OK");
    }
    // Those that leave while they wait for their turn, or for the node.
    const release = await hold();
    const wallet = Wallet.createRandom().address;
    const challenge = { wallet, nonce: wallet, issuedAt: new Date().toISOString() };
    const cookie = `Cookie: ${await seal(service, "challenge", challenge)}`;
    const body = JSON.stringify({ wallet, signature: `0x${"11".repeat(65)}` });
    const sockets = times(40, () => {
      const socket = connect(Number(port), hostname).on("error", () => undefined);
      socket.write(post("/verify/link", [...json, cookie], body));
      return socket;
    });
    while (isAsked() < 3 || (await scrape("waiting", "requests")) !== 8) await setImmediate();
    for (const socket of sockets) socket.destroy();
    release();
    while ((await scrape("waiting", "requests")) !== 0) await setImmediate();
    expect((await fetch(`${url}/openapi.json`)).status).to.equal(200);
  });

  it("holds no place while a provider does not answer", async () => {
    let asked = 0;
    const provider = await serveHttp(() => void asked++);
    const { url, service, scrape } = await fixture({
      IDENTITY_MICROBLOG_CLIENT_ID: "a",
      IDENTITY_MICROBLOG_CLIENT_SECRET: "b",
      IDENTITY_MICROBLOG_BASE_URL: provider.url,
    });
    const started = times(70, async () => {
      const wallet = Wallet.createRandom().address;
      const session = await seal(service, "session", { id: wallet, wallet });
      const proof = { session: wallet, wallet, provider: "microblog", visit: "a", step: "started" };
      const rest = { state: wallet, codeVerifier: "a", query: "" };
      const cookie = `${session}; ${await seal(service, "proof", Object.assign(proof, rest))}`;
      const ended = new AbortController();
      const callback = `${url}/verify/callback/microblog?state=${wallet}&code=a`;
      fetch(callback, { headers: { cookie }, signal: ended.signal }).catch(() => undefined);
      return ended;
    });
    const all = await Promise.all(started);
    while (asked < all.length) await setImmediate();
    expect((await fetch(`${url}/openapi.json`)).status).to.equal(200);
    expect(await scrape("waiting", "requests")).to.equal(0);
    for (const each of all) each.abort();
  });

  it("has a limited number of requests waiting, which the metrics show", async () => {
    const { good, ask, fillLine, scrape, hold } = await fixture();
    const release = await hold();
    expect(await scrape("waiting", "requests")).to.equal(0);
    const flood = await fillLine(flooder);
    const refused = await ask(flooder, good);
    expect(refused).to.include({ status: 503, code: "overloaded" });
    const others = [ask(other, good), ask(third, good)];
    release();
    expect((await Promise.all(others)).map(({ status }) => status)).to.deep.equal([200, 200]);
    const codes = (await Promise.all(flood)).map(({ status, code }) => code ?? status);
    expect(codes.filter((code) => code === 200)).to.have.length(32 + 256);
    const tooMany = codes.filter((code) => code === "overloaded").length;
    expect(tooMany).to.equal(codes.length - 32 - 256);
    expect(await scrape("refused_total", "requests")).to.equal(tooMany + 1);
    expect(await scrape("waiting", "requests")).to.equal(0);
  });
});
