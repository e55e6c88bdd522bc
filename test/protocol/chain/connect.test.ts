import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { mock } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "chai";
import { ChainUnavailableError, connectChain } from "../../../packages/protocol/chain/connect.ts";
import { describeProxy, keepLoopbackFromProxies } from "../../../packages/protocol/chain/httpProxy.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { setEnvironment } from "../../fixtures/environment.ts";
import { findFreePort } from "../../fixtures/freePort.ts";
import { holdTimers } from "../../fixtures/holdTimers.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { passTime, stopTime } from "../../fixtures/passTime.ts";
import { rejection } from "../../fixtures/rejection.ts";

interface Call {
  readonly id: number;
  readonly method: string;
}

const ok = ({ id, method }: Call): object => ({
  jsonrpc: "2.0",
  id,
  result: method === "eth_chainId" ? "0x14a34" : method,
});

describe("A chain that is reached over HTTP", function () {
  this.timeout(10_000);
  afterEach(() => mock.restoreAll());

  /**
   * A node that answers a call with the name of its method, unless a test wants something else.
   *
   * @returns The methods and headers of each request to it, what was told of round trips, and ways to ask.
   */
  async function fixture(
    answer: (calls: readonly Call[], response: ServerResponse) => unknown = (calls) => calls.map(ok),
    options: Partial<Parameters<typeof connectChain>[0]> = {},
  ) {
    const batches: string[][] = [];
    const headers: NodeJS.Dict<string | string[]>[] = [];
    const { url } = await serveHttp(async (request, response) => {
      const calls: Call[] = JSON.parse(await text(request));
      batches.push(calls.map(({ method }) => method));
      headers.push(request.headers);
      const body = await answer(calls, response);
      if (body !== undefined) response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
    const told: { outcome: string; seconds: number }[] = [];
    const chain = connectChain({
      url: `${url}/a-key`,
      chainId: 84532,
      onRoundTrip: (outcome, seconds) => told.push({ outcome, seconds }),
      ...options,
    });
    const ask = (method: string) => chain.open().request({ method });
    return { url, batches, headers, told, chain, ask, outcomes: () => told.map(({ outcome }) => outcome) };
  }

  it("gets one batch for what one conversation asks at a time", async () => {
    const { batches, headers, chain } = await fixture();
    const [node, another] = [chain.open(), chain.open()];
    const asked = ["one", "two"].map((method) => node.request({ method, params: [method] }));
    expect(await Promise.all([...asked, another.request({ method: "three" })])).to.deep.equal([
      "one",
      "two",
      "three",
    ]);
    expect(await node.request({ method: "four" })).to.equal("four");
    expect(batches).to.have.deep.members([
      ["eth_chainId", "one", "two"],
      ["eth_chainId", "three"],
      ["eth_chainId", "four"],
    ]);
    expect(new Set(headers.map((each) => each["content-type"]))).to.deep.equal(new Set(["application/json"]));
  });

  it("may answer in any order, with null, and with characters that arrive in pieces", async () => {
    const { chain } = await fixture(async ([chainId, ...calls], response) => {
      const [one, two] = calls;
      const answers = [
        { id: two?.id, result: null, error: null },
        { id: one?.id, result: "☕" },
      ];
      const body = Buffer.from(JSON.stringify([...answers, chainId && ok(chainId)]));
      const middle = body.indexOf("☕") + 1;
      response.write(body.subarray(0, middle));
      // Long enough for the first piece to arrive alone.
      await setTimeout(100);
      response.end(body.subarray(middle));
    });
    const node = chain.open();
    const asked = ["one", "two"].map((method) => node.request({ method }));
    expect(await Promise.all(asked)).to.deep.equal(["☕", null]);
  });

  it("may refuse one call of a batch, which is reported without the node's own words", async () => {
    const error = { code: -32000, message: "the node's own words" };
    const { chain, outcomes } = await fixture((calls) =>
      calls.map((call) => (call.method === "one" ? { id: call.id, error } : ok(call))),
    );
    const node = chain.open();
    const refused = rejection(node.request({ method: "one" }));
    expect(await node.request({ method: "two" })).to.equal("two");
    expect(await refused)
      .to.be.instanceOf(ChainUnavailableError)
      .and.to.include({ refused: true });
    expect((await refused).message).to.equal("The node answered one with JSON-RPC error -32000.");
    expect(outcomes()).to.deep.equal(["answered"]);
  });

  it("is unavailable, not refusing, if it limits requests, in any provider's words", async () => {
    for (const [code, message] of [
      [-32016, "over rate limit"],
      [-32005, "daily request count exceeded, request rate limited"],
      [-32007, "50/second request limit reached - reduce calls per second"],
      [429, "Your app has exceeded its compute units per second capacity."],
      [429, "Come back later."],
      [-32000, '429 Too Many Requests: {"error":{"code":-32016}}'],
    ] as const) {
      const { ask } = await fixture((calls) =>
        calls.map((call) => (call.id === 0 ? ok(call) : { id: call.id, error: { code, message } })),
      );
      const told = `The node answered eth_call with JSON-RPC error ${code}: it was asked too often.`;
      expect(await rejection(ask("eth_call"))).to.include({ message: told, refused: false });
    }
  });

  it("is asked again after the time that it names, in seconds or as a date", async () => {
    const later = new Date(Date.now() + 3_600_000).toUTCString();
    for (const [header, least, most] of [
      ["7", 7_000, 7_000],
      ["1.5", 1_500, 1_500],
      ["10, 20", 10_000, 10_000],
      [later, 3_500_000, 3_600_000],
      ["Thu, 01 Jan 1970 00:00:00 GMT", 0, 0],
    ] as const) {
      const { ask } = await fixture((_calls, response) => {
        response.writeHead(429, { "retry-after": header });
        return "{}";
      });
      const { retryAfterMs } = (await rejection(ask("eth_call"))) as ChainUnavailableError;
      expect(retryAfterMs, header).to.be.within(least, most);
    }
    const { ask } = await fixture((_calls, response) => {
      response.writeHead(429, { "retry-after": "soon" });
      return "{}";
    });
    expect(await rejection(ask("eth_call"))).to.include({ retryAfterMs: undefined });
  });

  it("is known for a fork with unknown hardforks", async () => {
    const message = "No known hardfork for execution on historical block 7 in chain with id 84532.";
    const { ask } = await fixture((calls) =>
      calls.map((call) => (call.id === 0 ? ok(call) : { id: call.id, error: { code: -32603, message } })),
    );
    const error = await rejection(ask("eth_call"));
    expect(error).to.be.instanceOf(ChainUnavailableError).and.to.include({
      kind: "unknown-hardfork",
      refused: true,
      message: "The node is a fork, and does not know the hardforks of its chain.",
    });
  });

  it("takes answers in any order, with ids that a gateway made texts of", async () => {
    const { chain } = await fixture((calls) =>
      calls.map((call) => ({ ...ok(call), id: String(call.id) })).reverse(),
    );
    const conversation = chain.open();
    const methods = ["eth_blockNumber", "eth_gasPrice"];
    expect(await Promise.all(methods.map((method) => conversation.request({ method })))).to.deep.equal(
      methods,
    );
  });

  const status = (code: number) => (_calls: unknown, response: ServerResponse) => {
    response.writeHead(code).end("[]");
  };
  const chainIs = (result: unknown) => (calls: readonly Call[]) =>
    calls.map((call) => (call.id === 0 ? { id: 0, result } : ok(call)));
  const noBatch = "The node's answer is not a JSON-RPC batch.";
  const incomplete = "The node's answer lacks a part of the request's batch.";
  const noChainId = "The node does not answer eth_chainId.";
  for (const [what, answer, message, refused] of [
    ["HTTP 400", status(400), "The node answered HTTP 400.", true],
    ["HTTP 429", status(429), "The node answered HTTP 429: it was asked too often.", false],
    ["HTTP 502 with a page", status(502), "The node answered HTTP 502.", false],
    ["an answer that breaks off", () => '[{"jsonrpc":"2.0","id":0,"resu', noBatch, false],
    [
      "one error for the whole batch",
      () => ({ jsonrpc: "2.0", id: null, error: { code: -32005, message: "limit exceeded" } }),
      "The node answered the batch with JSON-RPC error -32005: it was asked too often.",
      false,
    ],
    ["one answer, not in an array", (calls: readonly Call[]) => calls.map(ok)[0], noBatch, false],
    ["an array with null in it", () => [null, null], noBatch, false],
    ["no answer to the last call", (calls: readonly Call[]) => calls.slice(0, -1).map(ok), incomplete, false],
    [
      "a call without a result",
      (calls: readonly Call[]) => calls.map(({ id }) => ({ id })),
      incomplete,
      false,
    ],
    [
      "half of an answer, then nothing",
      (_calls: unknown, response: ServerResponse) => void response.write("[", () => response.destroy()),
      "The node's answer broke off (UND_ERR_SOCKET).",
      false,
    ],
    [
      "with an error for its chain",
      (calls: readonly Call[]) =>
        calls.map((call) => (call.id === 0 ? { id: 0, error: { code: -32000 } } : ok(call))),
      "The node answered eth_chainId with JSON-RPC error -32000.",
      true,
    ],
    ["a chain id in an array", chainIs(["0x14a34"]), noChainId, false],
    ["a chain id that is a number", chainIs(84532), noChainId, false],
    ["a chain id without 0x", chainIs("14a34"), noChainId, false],
    ["a chain id that is no number", chainIs("0x"), noChainId, false],
    ["a chain id beyond 2^53", chainIs(`0x${"f".repeat(15)}`), noChainId, false],
    ["another chain's id", chainIs("0xA"), "The node is on chain 10, not on chain 84532.", false],
  ] as const) {
    it(`is ${refused ? "refusing" : "unavailable"} when it answers ${what}`, async () => {
      const { ask, outcomes } = await fixture(answer);
      const error = await rejection(ask("eth_blockNumber"));
      expect(error).to.be.instanceOf(ChainUnavailableError).and.to.include({ refused, message });
      expect(outcomes()).to.deep.equal(["failed"]);
    });
  }

  it("is neither followed nor read when it redirects, even to a good node", async () => {
    const good = await fixture();
    const closed: Promise<unknown>[] = [];
    const redirect = (_calls: unknown, response: ServerResponse) => {
      closed.push(once(response, "close"));
      response.writeHead(307, { location: good.url }).write("A page without end.");
    };
    const { ask } = await fixture(redirect, { timeLimit: 60_000 });
    const error = await rejection(ask("eth_blockNumber"));
    expect(error).to.include({ kind: "redirect" });
    expect(error.message).to.equal(
      `The node answered HTTP 307, a redirect to ${good.url}, which is not followed.`,
    );
    await Promise.all(closed);
    expect(good.batches).to.deep.equal([]);
  });

  it("is reported unreachable with the reason, and without its URL, which may hold a key", async () => {
    const url = `http://127.0.0.1:${await findFreePort()}/a-key`;
    const error = await rejection(connectChain({ url, chainId: 1 }).open().request({ method: "one" }));
    expect(error).to.include({ message: "The node cannot be reached (ECONNREFUSED).", refused: false });
  });

  it("is asked once more where it closes a connection as the request leaves, but not to send a transaction again", async () => {
    let asked = 0;
    const { ask, batches, outcomes } = await fixture((calls, response) => {
      if (++asked % 2 === 1) return calls.map(ok);
      response.socket?.destroy();
    });
    for (const name of ["one", "two", "three"]) expect(await ask(name)).to.equal(name);
    expect(batches.map(([, name]) => name)).to.deep.equal(["one", "two", "two", "three", "three"]);
    expect(outcomes()).to.deep.equal(["answered", "answered", "answered"]);
    const { message } = await rejection(ask("eth_sendRawTransaction"));
    expect(message).to.equal("The node cannot be reached (UND_ERR_SOCKET).");
    expect(batches).to.have.length(6);
  });

  it("is asked twice at most where it closes every connection, and is then unreachable", async () => {
    const { ask, batches, outcomes } = await fixture((_calls, response) => void response.socket?.destroy());
    expect((await rejection(ask("one"))).message).to.equal("The node cannot be reached (UND_ERR_SOCKET).");
    expect(batches).to.have.length(2);
    expect(outcomes()).to.deep.equal(["failed"]);
  });

  it("is reported unreachable with the reason where fetch refuses its port", async () => {
    const ask = connectChain({ url: "http://127.0.0.1:6000", chainId: 1 }).open().request({ method: "one" });
    expect((await rejection(ask)).message).to.equal("The node cannot be reached (fetch refuses its port).");
  });

  it("is reported unreachable with the proxy of the environment, whether Node uses it or not", async () => {
    const url = `http://127.0.0.1:${await findFreePort()}/`;
    const ask = () => rejection(connectChain({ url, chainId: 1 }).open().request({ method: "one" }));
    setEnvironment({ HTTP_PROXY: "http://user:of-a-proxy@proxy.example:3128", NODE_USE_ENV_PROXY: "" });
    expect((await ask()).message).to.equal(
      "The node cannot be reached (ECONNREFUSED); HTTP_PROXY is set, but Node uses it only with NODE_USE_ENV_PROXY=1.",
    );
    setEnvironment({ NODE_USE_ENV_PROXY: "1", NO_PROXY: "db.example", no_proxy: undefined });
    expect((await ask()).message).to.equal(
      "The node cannot be reached (ECONNREFUSED); HTTP_PROXY sends requests through proxy.example:3128, except to the hosts in NO_PROXY.",
    );
    expect(process.env.NO_PROXY).to.equal("db.example,localhost,127.0.0.1,::1,[::1]");
    // Node prefers the names in lower case.
    const lower = { http_proxy: "http://other.example:8080", HTTP_PROXY: "http://proxy.example:3128" };
    expect(describeProxy(url, lower)).to.match(/^; HTTP_PROXY is set, but/);
    expect(describeProxy(url, { ...lower, NODE_OPTIONS: "--use-env-proxy" })).to.include(
      "other.example:8080,",
    );
    // So are requests over https, unless they have a proxy of their own.
    const https = "https://node.example/http:";
    expect(describeProxy(https, lower)).to.match(/^; HTTP_PROXY is set, but/);
    expect(describeProxy(https, { ...lower, https_proxy: "" })).to.match(/^; HTTP_PROXY is set, but/);
    expect(describeProxy(https, { ...lower, HTTPS_PROXY: "http://a.example" })).to.match(/^; HTTPS_PROXY is/);
    expect(describeProxy(url, { HTTPS_PROXY: "http://proxy.example" })).to.equal("");
    const used = { ...lower, NODE_USE_ENV_PROXY: "1" };
    for (const version of ["22.13.0", "22.20.1", "23.11.0"]) {
      expect(describeProxy(url, used, version)).to.equal(
        `; HTTP_PROXY is set, but Node ${version} cannot use it: that takes 22.21, or 24 or later`,
      );
    }
    for (const version of ["22.21.0", "24.0.0", "25.1.0"])
      expect(describeProxy(url, used, version)).to.include("sends requests through other.example:8080,");
    for (const [given, kept] of [
      [{ HTTP_PROXY: "http://proxy.example" }, { HTTP_PROXY: "http://proxy.example" }],
      [{ NODE_USE_ENV_PROXY: "1" }, { NODE_USE_ENV_PROXY: "1", NO_PROXY: "localhost,127.0.0.1,::1,[::1]" }],
      // All hosts.
      [
        { NODE_USE_ENV_PROXY: "1", NO_PROXY: "*" },
        { NODE_USE_ENV_PROXY: "1", NO_PROXY: "*" },
      ],
      [
        { NODE_OPTIONS: "--use-env-proxy", no_proxy: "db.example,,::1", NO_PROXY: "" },
        {
          NODE_OPTIONS: "--use-env-proxy",
          no_proxy: "db.example,::1,localhost,127.0.0.1,[::1]",
          NO_PROXY: "",
        },
      ],
    ]) {
      const environment: NodeJS.ProcessEnv = { ...given };
      keepLoopbackFromProxies(environment);
      expect(environment).to.deep.equal(kept);
    }
  });

  it("is reached without a proxy at every address of loopback, and at every host of NO_PROXY=*, whatever proxy there is", async () => {
    let proxied = 0;
    const proxy = await serveHttp((_request, response) => {
      proxied++;
      response.writeHead(502).end();
    });
    const node = createServer(async (request, response) => {
      response.end(JSON.stringify(JSON.parse(await text(request)).map(ok)));
    });
    onCleanup(() => node.close());
    // At all addresses of IPv4 and, if the machine has it, IPv6.
    await once(node.listen(0), "listening");
    const hasIPv6 = networkInterfaces().lo?.some(({ family }) => family === "IPv6");
    const { port } = node.address() as AddressInfo;
    const module = new URL("../../../packages/protocol/chain/connect.ts", import.meta.url).href;
    const ask = `import { connectChain } from "${module}";
      const chain = connectChain({ url: process.argv[1], chainId: 84532 });
      console.log(await chain.open().request({ method: "one" }));`;
    for (const [host, NO_PROXY] of [
      ["127.0.0.1", ""],
      [hasIPv6 ? "[::1]" : "localhost", ""],
      ["127.0.0.2", "*"],
    ] as const) {
      const url = `http://${host}:${port}`;
      const env = {
        ...process.env,
        NODE_USE_ENV_PROXY: "1",
        HTTP_PROXY: proxy.url,
        NO_PROXY,
        no_proxy: undefined,
      };
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ["--input-type=module", "--eval", ask, url],
        { env },
      );
      expect(stdout.trim(), url).to.equal("one");
    }
    expect(proxied).to.equal(0);
  });

  it("is cut off after the permitted bytes of an answer", async () => {
    const body = (calls: readonly Call[]) => JSON.stringify(calls.map(ok));
    const size = Buffer.byteLength(
      body([
        { id: 0, method: "eth_chainId" },
        { id: 1, method: "one" },
      ]),
    );
    expect(await (await fixture(body, { sizeLimit: size })).ask("one")).to.equal("one");
    // It does not end.
    const endless = (calls: readonly Call[], response: ServerResponse) => void response.write(body(calls));
    const { ask } = await fixture(endless, { sizeLimit: size - 1, timeLimit: 60_000 });
    const error = await rejection(ask("one"));
    expect(error).to.be.instanceOf(ChainUnavailableError);
    expect(error.message).to.equal(`The node answered with more than ${size - 1} bytes.`);
  });

  it("is cut off after four megabytes of an answer by default", async () => {
    const padded = (bytes: number) => (calls: readonly Call[]) => JSON.stringify(calls.map(ok)).padEnd(bytes);
    expect(await (await fixture(padded(4 * 1024 * 1024))).ask("one")).to.equal("one");
    const { ask } = await fixture(padded(4 * 1024 * 1024 + 1));
    expect((await rejection(ask("one"))).message).to.equal("The node answered with more than 4194304 bytes.");
  });

  describe("has time for one conversation, which", () => {
    /** A conversation with a node that answers all but `silent`. */
    async function open(options = {}) {
      const silence = new Promise<undefined>(() => {});
      const answer = (calls: readonly Call[]) =>
        calls.some(({ method }) => method === "silent") ? silence : calls.map(ok);
      return (await fixture(answer, options)).chain.open();
    }

    async function expectTooLate(answer: Promise<unknown>): Promise<void> {
      const error = await rejection(answer);
      expect(error).to.be.instanceOf(ChainUnavailableError);
      expect(error.message).to.equal("The node did not answer in time.");
    }

    it("begins when it is asked, however long the service was busy before", async () => {
      const node = await open();
      stopTime();
      passTime(10_000);
      const limit = holdTimers(4_000);
      const asked = expectTooLate(node.request({ method: "silent" }));
      await setImmediate();
      limit.end();
      await asked;
    });

    it("counts all of its round trips together", async () => {
      const node = await open({ timeLimit: 60_000 });
      stopTime();
      expect(await node.request({ method: "one" })).to.equal("one");
      passTime(50_000);
      expect(await node.request({ method: "two" })).to.equal("two");
      passTime(9_999);
      const limit = holdTimers(1);
      const asked = expectTooLate(node.request({ method: "silent" }));
      await setImmediate();
      limit.end();
      await asked;
      passTime(1);
      await expectTooLate(node.request({ method: "three" }));
    });

    it("counts a reading that another conversation began", async () => {
      const node = await open({ timeLimit: 60_000 });
      stopTime();
      expect(await node.within(Promise.resolve("in time"))).to.equal("in time");
      passTime(59_900);
      await expectTooLate(node.within(new Promise(() => {})));
      await expectTooLate(node.request({ method: "silent" }));
    });

    it("leaves no timer behind once it is answered", async () => {
      const node = await open();
      stopTime();
      const limit = holdTimers(4_000);
      await node.request({ method: "one" });
      await node.within(Promise.resolve());
      await rejection(node.within(Promise.reject(new Error("no answer"))));
      await setImmediate();
      expect(() => limit.end()).to.throw("Nobody waits");
    });
  });

  it("is slow while it owes an answer for long, also a second one, and after one that took long", async () => {
    const held: (() => void)[] = [];
    const { chain, ask } = await fixture(async (calls) => {
      if (calls.some(({ method }) => method === "held")) await new Promise<void>((end) => held.push(end));
      return calls.map(ok);
    });
    stopTime();
    const asked = [ask("held"), ask("held")];
    while (held.length < 2) await setTimeout(1);
    held.shift()?.();
    await Promise.race(asked);
    expect(chain.isSlow?.()).to.equal(false);
    passTime(1_499);
    expect(chain.isSlow?.()).to.equal(false);
    passTime(1);
    expect(chain.isSlow?.()).to.equal(true);
    held.shift()?.();
    await Promise.all(asked);
    // It took long for the last answer.
    expect(chain.isSlow?.()).to.equal(true);
    await ask("eth_blockNumber");
    expect(chain.isSlow?.()).to.equal(false);
  });

  it("reports the seconds of every round trip", async () => {
    const { told, ask } = await fixture();
    const started = performance.now();
    await ask("eth_blockNumber");
    const passed = (performance.now() - started) / 1000;
    expect(told).to.have.length(1);
    expect(told[0]).to.include({ outcome: "answered" });
    expect(told[0]?.seconds).to.be.greaterThan(0).and.at.most(passed);
  });
});
