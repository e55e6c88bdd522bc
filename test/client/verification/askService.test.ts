import type { ServerResponse } from "node:http";
import { mock } from "node:test";
import { inspect } from "node:util";
import { expect } from "chai";
import { identityErrorActions, readDiscovery, requestVerification } from "../../../packages/client/index.ts";
import { serviceErrors } from "../../../packages/protocol/errors.ts";
import { serveLocalChain } from "../../fixtures/chain/localChain.ts";
import { expectFailure, identityError } from "../../fixtures/client/identityError.ts";
import { skipPauses } from "../../fixtures/client/pauses.ts";
import { findFreePort } from "../../fixtures/freePort.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { replace } from "../../fixtures/replace.ts";

const verification = {
  identityHash: `0x${"12".repeat(32)}`,
  expiration: 2 ** 40 - 1,
  signature: `0x${"34".repeat(65)}`,
};

describe("The client, with a server that is no good service,", () => {
  afterEach(() => {
    mock.restoreAll();
    mock.timers.reset();
  });

  it("is asked although a test environment has an AbortSignal of its own, as jsdom does", async () => {
    const { url: baseUrl } = await serveHttp((_request, response) => {
      response.end(JSON.stringify(verification));
    });
    // Node's fetch takes no other signal than Node's.
    class OtherController {
      readonly signal = Object.assign(new EventTarget(), { aborted: false });
      abort() {}
    }
    replace(globalThis, "AbortController", OtherController as unknown as typeof AbortController);
    const answer = await requestVerification({ baseUrl, message: "Hello", signature: "0x12" });
    expect(answer).to.deep.equal(verification);
  });

  it("is asked although the platform's fetch takes no credentials, as Cloudflare's Workers", async () => {
    const { url: baseUrl } = await serveHttp((_request, response) => {
      response.end(JSON.stringify(verification));
    });
    const { fetch } = globalThis;
    replace(globalThis, "fetch", ((url: string, init: RequestInit) => {
      if (init.credentials === undefined) return fetch(url, init);
      throw new Error("The 'credentials' field on 'RequestInitializerDict' is not implemented.");
    }) as typeof fetch);
    const answer = await requestVerification({ baseUrl, message: "Hello", signature: "0x12" });
    expect(answer).to.deep.equal(verification);
  });

  it("names the service's URL without its secrets", async () => {
    skipPauses();
    const port = await findFreePort();
    const baseUrl = `http://127.0.0.1:${port}/of-ours?key=secret`;
    const error = await identityError(() => readDiscovery({ baseUrl }));
    expect(error).to.include({
      code: "client_network_error",
      action: "retry-later",
      message:
        `The service at http://127.0.0.1:${port} cannot be reached (ECONNREFUSED); is it running there? For ` +
        "development, `npx hardhat identity dev` starts one.",
    });
    expect(error.cause).to.be.instanceOf(TypeError);
    expect(Object.keys(error)).to.not.include("cause");
  });

  it("names Node's setting that sends loopback requests to a proxy", async () => {
    skipPauses();
    process.env.NODE_USE_ENV_PROXY = "1";
    try {
      const unreachable = `http://127.0.0.1:${await findFreePort()}`;
      const { url: proxied } = await serveHttp((_, response) => response.writeHead(403).end("Blocked."));
      for (const baseUrl of [unreachable, proxied]) {
        const { message } = await identityError(() => readDiscovery({ baseUrl }));
        expect(message).to.include(
          "NODE_USE_ENV_PROXY may send it to a proxy unless NO_PROXY names 127.0.0.1.",
        );
      }
    } finally {
      delete process.env.NODE_USE_ENV_PROXY;
    }
  });

  it("names the address to which the service's URL redirects", async () => {
    const { url: service } = await serveHttp((request, response) => {
      const code = request.method === "POST" ? "not_found" : "method_not_allowed";
      response.writeHead(405).end(JSON.stringify({ code, detail: "No." }));
    });
    for (const status of [301, 302, 307, 308]) {
      const { url: baseUrl } = await serveHttp((request, response) =>
        response.writeHead(status, { location: `${service}${request.url}` }).end(),
      );
      const asked = { baseUrl, message: "Hello", signature: "0x12" };
      const error = await identityError(() => requestVerification(asked));
      expect(error).to.include({ code: "client_invalid_response" });
      expect(error.message).to.include(`${baseUrl} redirects to ${service}`);
    }
  });

  it("accepts an answer behind a redirect that keeps the request", async () => {
    const { url: service } = await serveHttp((_, response) =>
      response.writeHead(400).end(JSON.stringify({ code: "conditions_not_satisfied", detail: "No." })),
    );
    const { url: baseUrl } = await serveHttp((request, response) =>
      response.writeHead(308, { location: `${service}${request.url}` }).end(),
    );
    const error = await identityError(() =>
      requestVerification({ baseUrl, message: "Hello", signature: "0x12" }),
    );
    expect(error).to.include({ code: "conditions_not_satisfied" });
  });

  it("distinguishes a wrong clock from an old message", async () => {
    let serviceTime: unknown;
    const { url: baseUrl } = await serveHttp((_, response) =>
      response
        .writeHead(400)
        .end(JSON.stringify({ code: "invalid_argument", detail: "Too old.", serviceTime })),
    );
    const ask = () => requestVerification({ baseUrl, message: "Hello", signature: "0x12" });
    mock.timers.enable({ apis: ["Date"], now: Date.now() });
    const shifted = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
    for (const milliseconds of [-36_000_000, -30_001, 30_001, 43_200_000_000]) {
      serviceTime = shifted(milliseconds);
      const message = `This device's clock is wrong: set it to ${serviceTime}, and try again.`;
      await expectFailure(ask, "client_wrong_clock", message, { status: 400 });
    }
    for (const time of [shifted(-30_000), shifted(30_000), "noon", undefined]) {
      serviceTime = time;
      expect(await identityError(ask)).to.include({ code: "invalid_argument", action: "rebuild" });
    }
  });

  for (const status of [501, 502, 504]) {
    const times = status === 501 ? 1 : 3;
    it(`asks ${times} times at most when a gateway answers ${status}`, async () => {
      skipPauses();
      const { asked, request } = await fixture((response) => response.writeHead(status).end("<html>"));
      const error = await identityError(request);
      expect(error).to.include({ code: "client_invalid_response", action: "retry-later", status });
      expect(asked.requests).to.equal(times);
    });
  }

  it("refuses a URL with a password, without showing it", async () => {
    for (const credentials of ["ann:secret", "secret", ":secret"]) {
      const baseUrl = `https://${credentials}@verify.example`;
      const error = await identityError(() => readDiscovery({ baseUrl }));
      const message = "baseUrl must be a URL without user or password.";
      expect(error).to.include({ code: "client_invalid_argument", argument: "baseUrl", message });
      expect(inspect(error)).to.not.include("secret");
    }
  });

  it("recognizes a node's URL in place of the service's", async () => {
    const { rpcUrl: baseUrl } = await serveLocalChain();
    const error = await identityError(() =>
      requestVerification({ baseUrl, message: "Hello", signature: "0x12" }),
    );
    expect(error).to.include({ code: "client_invalid_response" });
    expect(error.message).to.equal(
      `A node answers at ${baseUrl}: baseUrl must be the service's URL, not the node's.`,
    );
  });

  it("names the superfluous part if the service's URL includes the endpoint's path", async () => {
    const { url } = await serveHttp((_, response) =>
      response.writeHead(404).end(JSON.stringify({ code: "not_found", detail: "There is nothing here." })),
    );
    for (const baseUrl of [`${url}/v1`, `${url}/v1//`]) {
      const asked = { baseUrl, message: "Hello", signature: "0x12" };
      for (const ask of [() => requestVerification(asked), () => readDiscovery({ baseUrl })]) {
        const message = "The service has no such endpoint: baseUrl must be its URL without /v1.";
        await expectFailure(ask, "client_invalid_response", message, { status: 404 });
      }
    }
    const elsewhere = await identityError(() => readDiscovery({ baseUrl: `${url}/mounted` }));
    expect(elsewhere).to.include({ code: "not_found", message: "There is nothing here." });
  });

  /** Asks a server for a verification that does the same with every request. */
  async function fixture(answer: (response: ServerResponse) => void) {
    const asked = { requests: 0 };
    const { url: baseUrl } = await serveHttp((request, response) => {
      asked.requests++;
      // A client that does not give up by itself is told off, so that no failing test lasts.
      if (asked.requests > 10) response.writeHead(404).end();
      else request.resume().on("end", () => answer(response));
    });
    const request = (signal?: AbortSignal) =>
      requestVerification({ baseUrl, message: "Hello", signature: "0x12", signal });
    return { asked, baseUrl, request };
  }

  const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    fixture((response) => response.writeHead(status, headers).end(JSON.stringify(body)));

  it("hands on the refusal of a service that a proxy has below /v1, with its code if it has no words", async () => {
    for (const detail of [undefined, 7, ["No."]]) {
      const { baseUrl } = await json(400, { code: "invalid_policy", detail }, { "x-request-id": "r1" });
      const asked = { baseUrl: `${baseUrl}/v1`, message: "Hello", signature: "0x12" };
      const ask = () => requestVerification(asked);
      await expectFailure(ask, "invalid_policy", "invalid_policy", { status: 400, requestId: "r1" });
    }
  });

  it("does not accept a page as a verification", async () => {
    const { baseUrl, request } = await fixture((response) => response.writeHead(200).end("<html>"));
    const message = `The answer of ${baseUrl} (HTTP 200) does not come from a verification service.`;
    await expectFailure(request, "client_invalid_response", message, { status: 200 });
  });

  it("returns the members of a verification unchanged, and no others", async () => {
    for (const expiration of [0, 2 ** 40 - 1]) {
      const { request } = await json(200, { ...verification, expiration, policyHash: "0x" });
      expect(await request()).to.deep.equal({ ...verification, expiration });
    }
  });

  const malformed: Record<string, unknown> = {
    null: null,
    "an array": [verification],
    "a text": verification.signature,
    "one whose identity hash has 31 bytes": { ...verification, identityHash: `0x${"12".repeat(31)}` },
    "one whose identity hash lacks 0x": { ...verification, identityHash: "12".repeat(32) },
    "one that expires later than 40 bits can tell": { ...verification, expiration: 2 ** 40 },
    "one that expires before 1970": { ...verification, expiration: -1 },
    "one that expires within a second": { ...verification, expiration: 1.5 },
    "one that expires at a text": { ...verification, expiration: "1900000000" },
    "one whose signature has half a byte": { ...verification, signature: "0x123" },
    "one without a signature": { ...verification, signature: undefined },
  };
  for (const [what, body] of Object.entries(malformed)) {
    it(`does not accept ${what} as a verification`, async () => {
      const { asked, request } = await json(200, body);
      const message = "The service's answer is not a verification.";
      await expectFailure(request, "client_invalid_response", message, { status: 200 });
      expect(asked.requests).to.equal(1);
    });
  }

  const verifyUrl = "https://verify.example/verify";
  const refusals: object[] = [
    {},
    { detail: "No." },
    { code: "teapot" },
    { code: "client_user_rejected" },
    { code: "toString" },
    { code: "verification_not_found" },
    { code: "verification_not_found", verifyUrl: "/verify" },
    { code: "needs_reauth" },
    { code: "needs_reauth", verifyUrl: "javascript:alert(1)//https://verify.example" },
    { code: "needs_reauth", verifyUrl: "https://" },
    { code: "needs_reauth", verifyUrl: ["https://verify.example"] },
    { code: ["needs_reauth"], verifyUrl },
  ];
  for (const body of refusals) {
    it(`does not accept ${JSON.stringify(body)} as a refusal of the service`, async () => {
      const { asked, request } = await json(404, body);
      const error = await identityError(request);
      expect(error).to.include({ code: "client_invalid_response", status: 404, verifyUrl: undefined });
      expect(asked.requests).to.equal(1);
    });
  }

  for (const [code, { status }] of Object.entries(serviceErrors)) {
    const times = status === 429 || status === 503 ? "three times at most" : "once";
    it(`asks ${times} if the answer is always ${status} ${code}`, async () => {
      const body = { code, detail: "No.", verifyUrl };
      const { asked, request } = await json(status, body, { "retry-after": "0" });
      const error = await identityError(request);
      const action = identityErrorActions[code as keyof typeof serviceErrors];
      expect(error).to.include({ code, action, status, message: "No.", retryAfter: 0 });
      expect(asked.requests).to.equal(times === "once" ? 1 : 3);
    });
  }

  const microblog = { conditions: { followers: { type: "int", operators: ["gt"] } } };
  const discovery = {
    endpoint: "https://verify.example/v1/onchain_verifications",
    verifyUrl,
    statement: "Anything.",
    lifetime: 300,
    messageMaxAge: 600,
    chains: [
      { chainId: 84532, registry: `0x${"12".repeat(20)}`, signer: `0x${"34".repeat(20)}`, domain: {} },
    ],
    providers: { microblog },
  };
  for (const change of [
    { endpoint: "javascript:alert(1)" },
    { verifyUrl: "/verify" },
    { statement: undefined },
    { lifetime: "300" },
    { messageMaxAge: undefined },
    { chains: {} },
    { chains: [{ ...discovery.chains[0], chainId: "84532" }] },
    { chains: [{ ...discovery.chains[0], registry: "0x12" }] },
    { chains: [discovery.chains[0], { ...discovery.chains[0], signer: "0x34" }] },
    { chains: [{ ...discovery.chains[0], nextSigner: "0x56" }] },
    { chains: [{ ...discovery.chains[0], domain: undefined }] },
    { providers: undefined },
    { providers: "microblog" },
    { providers: { microblog: null } },
    { providers: { microblog: {} } },
  ]) {
    it(`does not accept a discovery document with ${inspect(change, { depth: 4, breakLength: Infinity })}`, async () => {
      const good = await json(200, discovery);
      expect(await readDiscovery({ baseUrl: good.baseUrl })).to.deep.equal(discovery);
      const { baseUrl } = await json(200, { ...discovery, ...change });
      const message = "The service's answer is not a discovery document.";
      const error = await identityError(() => readDiscovery({ baseUrl }));
      expect(error).to.include({ code: "client_invalid_response", status: 200, message });
    });
  }

  const retryAfter: Record<string, number | undefined> = {
    "120": 120,
    "Thu, 01 Jan 2026 00:01:30 GMT": 91,
    "Thu, 01 Jan 1970 00:00:00 GMT": 0,
    // Two forms that end or begin with a number.
    "Thu Jan  1 00:00:00 1970": 0,
    "1970-01-01T00:00:00Z": 0,
    "1.5": 2,
    "10, 20": 10,
    soon: undefined,
    "": undefined,
  };
  for (const [header, seconds] of Object.entries(retryAfter)) {
    it(`reads a Retry-After of ${JSON.stringify(header)} as ${seconds} seconds`, async () => {
      mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 0) - 500 });
      const noContract = { code: "contract_not_found", detail: "No." };
      const { request } = await json(404, noContract, { "retry-after": header });
      expect((await identityError(request)).retryAfter).to.equal(seconds);
    });
  }

  it("waits for Retry-After and up to a quarter more, if that is at most five seconds", async () => {
    for (const [seconds, count] of [
      [5, 2],
      [6, 0],
    ] as const) {
      const pauses = skipPauses();
      const { request } = await json(503, { code: "overloaded" }, { "retry-after": String(seconds) });
      expect(await identityError(request)).to.include({ code: "overloaded", retryAfter: seconds });
      expect(pauses).to.have.length(count);
      for (const pause of pauses) expect(pause).to.be.within(5_000, 6_250);
    }
  });

  it("stops waiting when the signal aborts", async function () {
    this.timeout(4_000);
    const { asked, request } = await json(503, { code: "overloaded" }, { "retry-after": "5" });
    const abort = new AbortController();
    const reason = new Error("The user left.");
    const { setTimeout } = globalThis;
    const abortLater = (end: () => void, milliseconds: number) => {
      if (milliseconds >= 5_000 && milliseconds <= 6_250) queueMicrotask(() => abort.abort(reason));
      return setTimeout(end, milliseconds);
    };
    replace(globalThis, "setTimeout", Object.assign(abortLater, setTimeout));
    expect(await request(abort.signal).catch((error) => error)).to.equal(reason);
    expect(asked.requests).to.equal(1);
  });

  it("spreads clients that were refused together", async () => {
    const pauses = skipPauses();
    const { request } = await fixture((response) => response.writeHead(503).end());
    await Promise.all(Array.from({ length: 3 }, () => identityError(request)));
    expect(new Set(pauses).size).to.equal(6);
    // The second pause is twice as long as the first.
    for (const [i, pause] of pauses.toSorted((a, b) => a - b).entries()) {
      if (i < 3) expect(pause).to.be.within(500, 625);
      else expect(pause).to.be.within(1_000, 1_250);
    }
  });

  it("asks three times for 15 seconds each if nothing answers, and reports that", async () => {
    skipPauses();
    const { setTimeout } = globalThis;
    const limits: number[] = [];
    const shorten = (end: () => void, milliseconds = 0) => {
      const { stack = "" } = new Error();
      // A pause waits for nothing within its time.
      const isLimit = stack.includes("/client/internal/runWithin.ts:") && !stack.includes("/poll.ts:");
      if (isLimit) limits.push(milliseconds);
      return setTimeout(end, isLimit ? 50 : milliseconds);
    };
    replace(globalThis, "setTimeout", Object.assign(shorten, setTimeout));
    const { asked, request } = await fixture(() => {});
    const send = mock.method(globalThis, "fetch");
    const error = await identityError(request);
    expect(error).to.include({ code: "client_network_error", action: "retry-later" });
    expect(error.message).to.include("no answer within 15 seconds");
    // None goes on behind the next.
    const ended = send.mock.calls.map(({ arguments: [, given] }) => given?.signal?.aborted);
    expect(ended).to.deep.equal([true, true, true]);
    expect(asked.requests).to.equal(3);
    expect(limits).to.deep.equal([15_000, 15_000, 15_000]);
  });

  it("sends no cookie from any page", async () => {
    const { baseUrl, request } = await json(200, {});
    const send = mock.method(globalThis, "fetch");
    await identityError(request);
    await identityError(() => readDiscovery({ baseUrl }));
    const sent = send.mock.calls.map(({ arguments: given }) => new Request(...given).credentials);
    expect(sent).to.deep.equal(["omit", "omit"]);
  });
});
