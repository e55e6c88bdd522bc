import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect } from "chai";
import { hexlify, id, randomBytes } from "ethers";
import { development } from "../../../packages/protocol/development.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { findFreePort } from "../../fixtures/freePort.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { runIdentitySigner, runIdentitySignerProcess } from "../../fixtures/tasks/identitySigner.ts";

const check = (...args: string[]) => runIdentitySigner(["check", ...args], {});

describe("identity-signer check", () => {
  it("passes for a working service, with and without a consumer, and needs no secret", async () => {
    const stack = await startStack();
    const consumer = await (await stack.deployConsumer()).getAddress();
    for (const [args, expected] of [
      [["--consumer", consumer], "verification_not_found"],
      [[], "contract_not_found"],
    ] as const) {
      const { code, stdout } = await check("--url", `${stack.url}//`, ...args, "--json");
      const { ok, url, status, checks, request } = JSON.parse(stdout);
      expect([code, ok, url, status], stdout).to.deep.equal([0, true, stack.url, "ready"]);
      expect(checks).to.have.all.keys("chain", "clock", "store", "key", "signer", "erasure");
      expect(request).to.include({ code: expected, expected });
      const logged = stack.service.log.find((line) => line.includes(request.requestId)) ?? "{}";
      expect(JSON.parse(logged)).to.include({ route: "/v1/onchain_verifications", code: expected });
    }
    const { code, stdout } = await check("--url", stack.url, "--consumer", consumer);
    expect([code, stdout.replace(/[\da-f-]{36}/, "<id>")]).to.deep.equal([
      0,
      `service    ${stack.url}
readiness  ready
chain      ok
clock      ok
signer     ok
key        ok
store      ok
erasure    ok
request    verification_not_found, as expected (x-request-id <id>)
`,
    ]);
  });

  it("fails for a broken part, and names it and the cure", async () => {
    const stack = await startStack();
    await (await stack.registryContract.getFunction("removeSigner")(development.signer)).wait();
    const { url } = await startTestSigner({
      IDENTITY_RPC_URL: stack.rpcUrl,
      IDENTITY_REGISTRY: stack.registry,
    });
    const { code, stdout } = await check("--url", url);
    expect(code).to.equal(1);
    expect(stdout).to.match(/^readiness +not_ready$/m);
    expect(stdout)
      .to.match(/^signer +NOT OK: .*addSigner/m)
      .and.match(/^chain +ok$/m);
  });

  it("fails if a request is answered wrongly, although the service is ready", async () => {
    const stack = await startStack();
    const forged = { code: "internal" };
    const front = await serveHttp(async (request, response) => {
      if (request.method === "POST") return void response.writeHead(500).end(JSON.stringify(forged));
      response.end(await (await fetch(`${stack.url}${request.url}`)).text());
    });
    const { code, stdout } = await check("--url", front.url);
    expect(code).to.equal(1);
    expect(stdout).to.match(/^readiness +ready$/m);
    expect(stdout).to.match(/^request +internal, NOT contract_not_found/m);
  });

  it("fails where another service of the registry tells people apart otherwise", async () => {
    const stack = await startStack();
    const secrets = { IDENTITY_MASTER_SECRET: hexlify(randomBytes(32)), IDENTITY_SIGNING_KEY: id("a key") };
    const { IDENTITY_RPC_URL = "", IDENTITY_REGISTRY = "" } = stack.environment;
    const chain = { IDENTITY_RPC_URL, IDENTITY_REGISTRY };
    const [same, other] = [await startTestSigner(chain), await startTestSigner({ ...chain, ...secrets })];
    expect((await check("--url", stack.url, "--other", same.url)).code).to.equal(0);
    const { code, stdout } = await check("--url", stack.url, "--other", same.url, "--other", other.url);
    expect(code).to.equal(1);
    expect(stdout).to.match(
      new RegExp(
        `\nidentities +the same as at ${same.url}\nidentities +NOT those of ${other.url}: it has another master secret or chain, so that one account can claim twice at a registry that lists both\n$`,
      ),
    );
  });

  it("accuses no service that is too old to be compared", async () => {
    const { url } = await startStack();
    const old = await serveHttp(async (_request, response) => {
      const asked = await fetch(`${url}/.well-known/onchain-verifications`);
      const { testIdentity: _, ...discovery } = (await asked.json()) as Record<string, unknown>;
      response.setHeader("content-type", "application/json").end(JSON.stringify(discovery));
    });
    const { code, stdout } = await check("--url", url, "--other", old.url);
    expect(code).to.equal(1);
    expect(stdout).to.match(
      new RegExp(
        `identities +cannot be compared with those of ${old.url}: one of the services is too old to tell\n$`,
      ),
    );
    const asJson = await check("--url", url, "--other", old.url, "--json");
    expect(JSON.parse(asJson.stdout).others).to.deep.equal([{ url: old.url, isSame: null }]);
  });

  it("names an address that does not answer or is not a service", async () => {
    const nowhere = `http://127.0.0.1:${await findFreePort()}`;
    const silent = await check("--url", nowhere);
    expect([silent.code, silent.output]).to.deep.equal([
      1,
      `The service at ${nowhere} does not answer /readyz (ECONNREFUSED).\n`,
    ]);
    const other = await serveHttp((_request, response) => response.end("{}"));
    expect((await check("--url", other.url)).output).to.equal(`${other.url} is not a signer service.\n`);
    const problem = '{"code":"rate_limited","detail":"Slowly."}';
    const busy = await serveHttp((_request, response) => void response.writeHead(429).end(problem));
    expect((await check("--url", busy.url)).output).to.equal(
      `The service at ${busy.url} does not describe itself now (rate_limited): Slowly.\n`,
    );
    const page = await serveHttp((_request, response) => void response.writeHead(502).end("<html>"));
    expect((await check("--url", page.url)).output).to.equal(
      `The service at ${page.url} does not answer /readyz (HTTP 502, SyntaxError).\n`,
    );
    const proxy = new URL(nowhere).host;
    const env = {
      NODE_USE_ENV_PROXY: "1",
      HTTP_PROXY: nowhere,
      NO_PROXY: "",
      http_proxy: undefined,
      no_proxy: undefined,
    };
    const behindProxy = (url: string) => runIdentitySignerProcess(["check", "--url", url], env);
    expect((await behindProxy(other.url)).output).to.equal(`${other.url} is not a signer service.\n`);
    const moved = await serveHttp((_request, response) =>
      response.writeHead(308, { location: "/elsewhere/readyz" }).end("moved"),
    );
    expect((await check("--url", moved.url)).output).to.equal(
      `The service at ${moved.url} redirects /readyz to ${moved.url}/elsewhere/readyz (HTTP 308). Redirects are not followed: pass the URL of the service itself.\n`,
    );
    expect((await behindProxy("http://identity.example")).output).to.equal(
      `The service at http://identity.example does not answer /readyz (ECONNREFUSED); HTTP_PROXY sends requests through ${proxy}, except to the hosts in NO_PROXY.\n`,
    );
    expect((await check("--url", "ftp://x")).output).to.equal(
      '--url must be the http(s) URL of a running service, got "ftp://x".\n',
    );
    expect((await check()).output).to.equal("--url is missing; it must be the URL of the service.\n");
    expect((await check("--help")).output).to.include("identity-signer check --url <url>");
    expect((await check("--url", other.url, "--consumer", "0x12")).output).to.include("--consumer");
  });

  it("ends behind a proxy that hangs up instead of an answer, and names it", async () => {
    const proxy = createServer((socket) => socket.on("error", () => {}).once("data", () => socket.end()));
    onCleanup(() => new Promise<void>((resolve) => void proxy.close(() => resolve())));
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const { port } = proxy.address() as AddressInfo;
    const { code, output } = await runIdentitySignerProcess(["check", "--url", "https://identity.example"], {
      NODE_USE_ENV_PROXY: "1",
      HTTPS_PROXY: `http://127.0.0.1:${port}`,
      https_proxy: undefined,
    });
    expect(code).to.equal(1);
    expect(output).to.equal(
      `The service at https://identity.example does not answer /readyz (TimeoutError); HTTPS_PROXY sends requests through 127.0.0.1:${port}, except to the hosts in NO_PROXY.\n`,
    );
  }).timeout(60_000);
});
