import { expect } from "chai";
import { development } from "../../../protocol/development.ts";
import { findFreePort } from "../../fixtures/freePort.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { runIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";

const check = (...args: string[]) => runIdentitySigner(["check", ...args], {});

describe("identity-signer check", () => {
  it("is content with a service that works, with a consumer and without, and needs no secret", async () => {
    const stack = await startStack();
    const consumer = await (await stack.deployConsumer()).getAddress();
    for (const [args, expected] of [
      [["--consumer", consumer], "verification_not_found"],
      [[], "contract_not_found"],
    ] as const) {
      const { code, stdout } = await check("--url", `${stack.url}/`, ...args, "--json");
      const { ok, url, status, checks, request } = JSON.parse(stdout);
      expect([code, ok, url, status], stdout).to.deep.equal([0, true, stack.url, "ready"]);
      expect(checks).to.have.all.keys("chain", "clock", "store", "key", "signer", "erasure");
      expect(request).to.include({ code: expected, expected });
      const logged = stack.service.log.find((line) => line.includes(request.requestId)) ?? "{}";
      expect(JSON.parse(logged)).to.include({ route: "/v1/onchain_verifications", code: expected });
    }
    const { code, stdout } = await check("--url", stack.url, "--consumer", consumer);
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/^readiness +ready$/m)
      .and.match(/^store +ok$/m);
    expect(stdout).to.match(/^request +verification_not_found, as expected \(x-request-id \S{36}\)$/m);
  });

  it("fails where a part is not as it must be, and names it with what mends it", async () => {
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

  it("fails where a request is answered otherwise, though the service says that it is ready", async () => {
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

  it("says in words what does not answer, or is no service", async () => {
    const nowhere = `http://127.0.0.1:${await findFreePort()}`;
    const silent = await check("--url", nowhere);
    expect([silent.code, silent.output]).to.deep.equal([
      1,
      `The service at ${nowhere} does not answer /readyz (ECONNREFUSED).\n`,
    ]);
    const other = await serveHttp((_request, response) => response.end("{}"));
    expect((await check("--url", other.url)).output).to.equal(`${other.url} is not a signer service.\n`);
    expect((await check("--url", "ftp://x")).output)
      .to.include("--url must be")
      .and.include("ftp://x");
    expect((await check()).output).to.equal("--url is missing.\n");
    expect((await check("--url", other.url, "--consumer", "0x12")).output).to.include("--consumer");
  });
});
