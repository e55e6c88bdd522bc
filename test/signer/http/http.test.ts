import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { serviceErrors } from "../../../packages/protocol/errors.ts";
import { sendRaw } from "../../fixtures/rawHttp.ts";
import { signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { wholeHead } from "../../fixtures/wholeHead.ts";

const path = "/v1/onchain_verifications";
const json = { "content-type": "application/json" };

describe("The HTTP API", () => {
  let stack: Awaited<ReturnType<typeof startStack>>;
  let good: { message: string; signature: string };

  before(async () => {
    stack = await startStack();
    const { wallet, address } = await stack.participate();
    good = await signedRequest(wallet, address);
  });

  // The service is as it was after whatever a test sent to it.
  afterEach(async () => {
    expect((await post(JSON.stringify(good))).status).to.equal(200);
  });

  async function send(url: string, init: RequestInit = {}) {
    const response = await fetch(`${stack.url}${url}`, init);
    const body = await response.text();
    return { status: response.status, headers: response.headers, body };
  }
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
    send(path, { method: "POST", headers, body });

  function expectProblem(
    { status, headers, body }: Awaited<ReturnType<typeof send>>,
    code: keyof typeof serviceErrors,
    detail: string,
  ) {
    const problem = JSON.parse(body);
    const type = `urn:hardhat-identity:problem:${code}`;
    expect(problem).to.deep.equal({ type, code, ...serviceErrors[code], detail, message: detail });
    expect(status).to.equal(problem.status);
    expect(headers.get("content-type")).to.equal("application/problem+json; charset=utf-8");
    expect(headers.get("x-request-id")).to.match(/^[0-9a-f-]{36}$/);
  }

  describe("answers invalid_argument to a body that", () => {
    const text = (body: unknown) => JSON.stringify(body);
    const [noJson, noObject, noMessage, twice] = [
      "The body is not JSON.",
      "The request is malformed: the body must be a JSON object with the members message and signature.",
      "The request is malformed: message must be a string: the sign-in message.",
      "The request is malformed: message occurs twice.",
    ];
    const bodies: Record<string, [string, () => string | Uint8Array<ArrayBuffer>]> = {
      "is empty": ["The request has no body.", () => ""],
      "is no JSON": [noJson, () => "{"],
      "starts with a byte order mark": [noJson, () => `\ufeff${text(good)}`],
      "is null": [noObject, () => "null"],
      "is an array": [noObject, () => text([good])],
      "is an array of arrays, deep": [noJson, () => "[".repeat(16_000)],
      "lacks the message": [noMessage, () => text({ signature: good.signature })],
      "has the message twice": [twice, () => text(good).replace("{", '{"message":"another",')],
      "has the message twice, once in escapes": [
        twice,
        () => text(good).replace("{", `{"${"message".replace("e", "\\u0065")}":"another",`),
      ],
      "has the message twice, the other one last": [
        noMessage,
        () => text(good).replace(/}$/, ' , "message" : null}'),
      ],
      "has the message twice, among much else": [
        twice,
        () => text({ a: [{ message: "}" }], ...good, b: '"' }).replace("{", '{"message":{"c":"]"},'),
      ],
      "has a message that is a number": [noMessage, () => text({ ...good, message: 1 })],
      "has a message with an unpaired surrogate": [
        "The sign-in message is not valid EIP-4361 (line 12: the resource has U+D800 in its path).",
        () => text({ ...good, message: `${good.message}\ud800` }),
      ],
      "has a signature with half a byte": [
        "The request is malformed: signature must be a string of 0x and an even number of hex digits.",
        () => text({ ...good, signature: good.signature.slice(0, -1) }),
      ],
      "is not UTF-8": [
        "The body is not UTF-8.",
        () => Buffer.from(text(good).replace("app.example", "app\xff.example"), "latin1"),
      ],
      "is UTF-16": [noJson, () => Buffer.from(text(good), "utf16le")],
    };
    for (const [name, [detail, body]] of Object.entries(bodies)) {
      it(name, async () => expectProblem(await post(body()), "invalid_argument", detail));
    }
  });

  it("ignores unknown members, whatever they hold", async () => {
    const others = [
      '"consumer":"0x"',
      '"__proto__":{"message":"another"}',
      '"a":1,"a":2',
      '"a":{"message":"one","message":"two","signature":"0x"}',
      '"a":[{"message":"one"},"message","signature",[]]',
      '"a":"message","b":"\\",\\"message\\":\\"x","c":"\\\\"',
      '"Message":"another","mess\\u0041ge":"another"',
    ];
    for (const other of others) {
      const text = JSON.stringify(good);
      for (const body of [text.replace("{", `{${other},`), text.replace(/}$/, `,${other}}`)]) {
        const { status, body: answer } = await post(body);
        expect(status, `${other}: ${answer}`).to.equal(200);
      }
    }
  });

  it("answers payload_too_large beyond 16 kB", async () => {
    const padding = (size: number) => {
      const body = JSON.stringify({ ...good, padding: "" });
      return body.replace('"padding":""', `"padding":"${"x".repeat(size - body.length)}"`);
    };
    expect((await post(padding(16 * 1024))).status).to.equal(200);
    expectProblem(await post(padding(16 * 1024 + 1)), "payload_too_large", "The body is larger than 16 kB.");
    expectProblem(await post(padding(5_000_000)), "payload_too_large", "The body is larger than 16 kB.");
    const chunked = new Blob([padding(100_000)]).stream();
    const init = { method: "POST", headers: json, body: chunked, duplex: "half" } as RequestInit;
    expectProblem(await send(path, init), "payload_too_large", "The body is larger than 16 kB.");
    // In parts, none of which is too large by itself.
    const parts = ReadableStream.from(new Array<Buffer>(20).fill(Buffer.from(" ".repeat(1_000))));
    const inParts = { method: "POST", headers: json, body: parts, duplex: "half" } as RequestInit;
    expectProblem(await send(path, inParts), "payload_too_large", "The body is larger than 16 kB.");
  });

  it("answers unsupported_media_type unless it is plain JSON", async () => {
    const body = JSON.stringify(good);
    const wanted = "The Content-Type must be application/json, in UTF-8.";
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/problem+json",
      "application/jsonp",
      "application/json; charset=latin1",
      "application/json; charset=utf-16",
      "application/json; charset=utf-8; charset=utf-7",
      "application/json; charset",
      'application/json; charset="utf-8',
      "application/json; odata=verbose; charset=latin1",
      "application/json, text/plain",
      "json",
    ]) {
      expectProblem(await post(body, { "content-type": type }), "unsupported_media_type", wanted);
    }
    const untyped = await send(path, { method: "POST", body: new Blob([body]) });
    expectProblem(untyped, "unsupported_media_type", wanted);
    for (const encoding of ["gzip", "br", "deflate", "zstd", "nonsense"]) {
      const compressed = await post(gzipSync(body), { ...json, "content-encoding": encoding });
      expectProblem(compressed, "unsupported_media_type", "The body must not be compressed.");
    }
  });

  it("accepts uncompressed application/json with a charset of UTF-8, however it is written", async () => {
    for (const type of [
      "application/json;charset=utf-8",
      'Application/JSON; charset="UTF-8"',
      "application/json ; charset=Utf-8",
      'application/json\t;  charset  =  "utf-8"  ',
      "application/json;",
      "application/json; charset=utf8",
      "application/json;charset=UTF-8;",
      "application/json; odata=verbose; charset=utf-8",
      'application/json; profile="urn:x"',
    ]) {
      const headers = { "content-type": type, "content-encoding": "Identity" };
      expect((await post(JSON.stringify(good), headers)).status, type).to.equal(200);
    }
  });

  it("answers method_not_allowed, and which methods are", async () => {
    for (const [url, allowed] of [
      [path, "POST, OPTIONS"],
      ["/healthz", "GET, HEAD, OPTIONS"],
      ["/readyz", "GET, HEAD, OPTIONS"],
      ["/.well-known/onchain-verifications", "GET, HEAD, OPTIONS"],
      ["/openapi.json", "GET, HEAD, OPTIONS"],
    ] as const) {
      const methods = allowed.split(", ");
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "SEARCH"]) {
        if (methods.includes(method)) continue;
        const answer = await send(url, { method });
        expectProblem(answer, "method_not_allowed", `${url} takes ${allowed}, not ${method}.`);
        expect(answer.headers.get("allow")).to.equal(allowed);
      }
    }
  });

  it("answers not_found to any other path", async () => {
    for (const url of [
      "/",
      "/v1",
      "/v1/",
      `${path}/`,
      `${path}/x`,
      "/V1/onchain_verifications",
      "/v2/onchain_verifications",
      "/v1/onchain_verifications%2f",
      "/%",
      "/%ff",
      "/v1/%c3%28",
      `/${"a".repeat(8_000)}`,
    ]) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        expectProblem(await send(url, { method }), "not_found", "There is nothing at this path.");
      }
    }
  });

  it("lets pages of any origin use the API, without credentials", async () => {
    const origin = { origin: "https://app.example" };
    for (const url of [path, "/v1/nothing", "/.well-known/onchain-verifications", "/openapi.json"]) {
      const { headers } = await send(url, { headers: origin });
      expect(headers.get("access-control-allow-origin"), url).to.equal("*");
      expect(headers.get("access-control-expose-headers")).to.equal("Retry-After, x-request-id, Allow");
      expect(headers.get("access-control-allow-credentials")).to.equal(null);
    }
    const preflight = await send(path, {
      method: "OPTIONS",
      headers: {
        ...origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,sentry-trace",
      },
    });
    expect(preflight.status).to.equal(204);
    expect(preflight.headers.has("content-length")).to.equal(false);
    expect(wholeHead(preflight)).to.deep.equal({
      "access-control-allow-headers": "*, Authorization",
      "access-control-allow-methods": "POST, OPTIONS",
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "Retry-After, x-request-id, Allow",
      "access-control-max-age": "86400",
      allow: "POST, OPTIONS",
      "cache-control": "no-store",
    });
    for (const url of ["/healthz", "/readyz", "/"]) {
      const { headers } = await send(url, { headers: origin });
      expect(headers.get("access-control-allow-origin"), url).to.equal(null);
    }
  });

  it("gives every response its own id, whatever the client calls it", async () => {
    const ask = async () => (await send("/healthz", { headers: { "x-request-id": "mine" } })).headers;
    const ids = [await ask(), await ask()].map((headers) => headers.get("x-request-id"));
    for (const id of ids) expect(id).to.match(/^[0-9a-f-]{36}$/);
    expect(ids[0]).not.to.equal(ids[1]);
  });

  it("survives a request that is not HTTP or breaks off", async () => {
    const { port } = stack.service;
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n`;
    const incomplete = "The data sent is not a complete HTTP request.";
    const hosts = (count: number) => `The request must have one Host header, and has ${count}.`;
    for (const [broken, detail] of [
      ["nonsense\r\n\r\n", incomplete],
      [`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
      [`${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, incomplete],
      [`${head}Content-Length: -1\r\n\r\n`, incomplete],
      ["GET / HTTP/9.9\r\n\r\n", incomplete],
      ["GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", hosts(0)],
      ["GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", hosts(2)],
      [`POST ${path} HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n`, hosts(2)],
    ] as const) {
      const answer = await sendRaw(port, broken);
      expect(answer, broken.slice(0, 200)).to.match(/^HTTP\/1\.1 4\d\d /);
      expect(answer).to.match(/\r\nx-request-id: [0-9a-f-]{36}\r\n/i);
      const problem = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
      expect(problem.code).to.equal("invalid_argument");
      if (detail !== undefined) expect(problem.detail).to.equal(detail);
    }
    const cookies = `GET /healthz HTTP/1.1\r\nHost: x\r\nCookie: ${"a".repeat(20_000)}\r\n\r\n`;
    expect(await sendRaw(port, cookies)).to.include("The headers are larger than 16384 bytes.");
    const expecting = await sendRaw(port, `${head}Expect: a-miracle\r\nContent-Length: 0\r\n\r\n`);
    expect(expecting)
      .to.match(/^HTTP\/1\.1 4\d\d /)
      .and.match(/\r\nx-request-id: /i);
  });

  it("answers requests in every form that proxies, balancers and old clients send", async () => {
    const body = JSON.stringify(good);
    const close = "Host: x\r\nConnection: close";
    const sent = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
    for (const [request, start] of [
      [`HEAD /healthz HTTP/1.1\r\n${close}\r\n\r\n`, /^HTTP\/1\.1 200 [^{]+$/],
      [`HEAD /readyz HTTP/1.1\r\n${close}\r\n\r\n`, /^HTTP\/1\.1 200 [^{]+$/],
      ["GET /healthz HTTP/1.0\r\n\r\n", /^HTTP\/1\.1 200 .*"ok"/s],
      [`POST ${path} HTTP/1.0\r\n${sent}\r\n\r\n${body}`, /^HTTP\/1\.1 200 .*"identityHash"/s],
      [`GET http://other.example:81/healthz HTTP/1.1\r\n${close}\r\n\r\n`, /^HTTP\/1\.1 200 .*"ok"/s],
      [`POST http://x${path} HTTP/1.1\r\n${close}\r\n${sent}\r\n\r\n${body}`, /200 .*"identityHash"/s],
      [
        `POST ${path} HTTP/1.1\r\n${close}\r\n${sent}\r\nExpect: 100-continue\r\n\r\n${body}`,
        /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 .*"identityHash"/s,
      ],
      ["GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", /^HTTP\/1\.1 200 /],
    ] as const) {
      expect(await sendRaw(stack.service.port, request)).to.match(start);
    }
  });
});
