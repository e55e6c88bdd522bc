import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import { Wallet } from "ethers";
import { release } from "../../../signer/release.ts";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { holdTimers } from "../../fixtures/holdTimers.ts";
import { sendRaw } from "../../fixtures/rawHttp.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { ownSecrets, startStack } from "../../fixtures/signer/stack.ts";

describe("The log", () => {
  async function fixture() {
    const secrets = ownSecrets();
    const stack = await startStack(secrets);
    const proxy = await serveProxy(stack.rpcUrl);
    const environment = {
      ...secrets,
      IDENTITY_RPC_URL: `${proxy.url}/?key=rpc-secret`,
      IDENTITY_REGISTRY: stack.registry,
      IDENTITY_DATABASE_URL: stack.service.config.databaseUrl,
    };
    const service = { ...(await startTestSigner(environment)), environment };
    await (await stack.registryContract.getFunction("addSigner")(service.signer)).wait();
    return { stack, proxy, service, secrets };
  }

  const parse = (log: string[]) => log.map((line) => JSON.parse(line) as Record<string, unknown>);

  it("has one line for a request with its route and outcome", async () => {
    const { stack, service } = await fixture();
    const { wallet, address } = await stack.participate();
    service.log.length = 0;
    const begun = performance.now();
    const good = await requestVerification(service.url, await signedRequest(wallet, address));
    const elapsed = performance.now() - begun;
    const bad = await requestVerification(service.url, {});
    await fetch(`${service.url}/some/path?query=1`);
    await fetch(`${service.url}/healthz`, { method: "DELETE" });
    const lines = parse(service.log).filter(({ msg }) => msg === "request");
    expect(lines.map(({ method, route, status, code }) => [method, route, status, code])).to.deep.equal([
      ["POST", "/v1/onchain_verifications", 200, undefined],
      ["POST", "/v1/onchain_verifications", 400, "invalid_argument"],
      ["GET", "none", 404, "not_found"],
      ["DELETE", "/healthz", 405, "method_not_allowed"],
    ]);
    expect(lines[0]?.requestId).to.equal(good.response.headers.get("x-request-id"));
    expect(lines[1]?.requestId).to.equal(bad.response.headers.get("x-request-id"));
    // With several questions to the node, it takes more than half a millisecond.
    expect(lines[0]?.durationMs).to.be.within(0.5, elapsed + 1_000);
    for (const line of lines) {
      expect(line.durationMs).to.be.a("number");
      expect(Object.keys(line)).to.have.members([
        "level",
        "time",
        "requestId",
        "method",
        "route",
        "status",
        ...(line.code === undefined ? [] : ["code"]),
        "durationMs",
        "msg",
      ]);
    }
  });

  it("has a line for a probe at the default level only if it fails", async () => {
    const { service } = await fixture();
    service.log.length = 0;
    for (const path of ["/healthz", "/readyz", "/metrics"])
      for (const method of ["GET", "HEAD"]) await fetch(`${service.url}${path}`, { method });
    await fetch(`${service.url}/openapi.json`);
    await fetch(`${service.url}/readyz`, { method: "POST" });
    const lines = parse(service.log).filter(({ msg, level }) => msg === "request" && Number(level) >= 30);
    expect(lines.map(({ route, status }) => [route, status])).to.deep.equal([
      ["/openapi.json", 200],
      ["/readyz", 405],
    ]);
  });

  it("has the first twenty of many refusals in ten seconds, and how many more there were", async () => {
    const { service } = await fixture();
    const timers = holdTimers(10_000);
    service.log.length = 0;
    const post = (path: string) => fetch(`${service.url}${path}`, { method: "POST" });
    for (let i = 0; i < 50; i++) await post("/v1/onchain_verifications");
    for (let i = 0; i < 30; i++) await post("/some/path");
    for (let i = 0; i < 3; i++) await post("/healthz");
    const requests = () => parse(service.log).filter(({ msg }) => msg === "request");
    expect(requests().map(({ code }) => code)).to.deep.equal([
      ...Array<string>(20).fill("unsupported_media_type"),
      ...Array<string>(20).fill("not_found"),
      ...Array<string>(3).fill("method_not_allowed"),
    ]);
    timers.end();
    const told = parse(service.log).filter(({ leftOut }) => leftOut !== undefined);
    expect(
      told.map(({ level, route, status, code, leftOut }) => [level, route, status, code, leftOut]),
    ).to.deep.equal([
      [30, "/v1/onchain_verifications", 415, "unsupported_media_type", 30],
      [30, "none", 404, "not_found", 10],
    ]);
    service.log.length = 0;
    await post("/some/path");
    expect(requests()).to.have.length(1);
  });

  it("has some lines and the number of many preflight requests, which no rate limit refuses", async () => {
    const { service } = await fixture();
    const timers = holdTimers(10_000);
    service.log.length = 0;
    for (let i = 0; i < 24; i++)
      await fetch(`${service.url}/v1/onchain_verifications`, { method: "OPTIONS" });
    for (let i = 0; i < 24; i++) await fetch(`${service.url}/openapi.json`);
    expect(
      parse(service.log).filter(({ msg, status }) => msg === "request" && status === 204),
    ).to.have.length(20);
    expect(parse(service.log).filter(({ status }) => status === 200)).to.have.length(24);
    timers.end();
    const { msg: _msg, time: _time, ...told } = parse(service.log).at(-1) ?? {};
    expect(told).to.deep.equal({ level: 30, route: "/v1/onchain_verifications", status: 204, leftOut: 4 });
  });

  it("has some lines and the number of many messages that are no HTTP", async () => {
    const { service } = await fixture();
    const timers = holdTimers(10_000);
    service.log.length = 0;
    for (let i = 0; i < 25; i++) await sendRaw(Number(new URL(service.url).port), "no HTTP\r\n\r\n");
    expect(parse(service.log).filter(({ msg }) => msg === "request")).to.have.length(20);
    timers.end();
    expect(parse(service.log).at(-1)).to.include({
      route: "none",
      status: 400,
      code: "invalid_argument",
      leftOut: 5,
    });
  });

  it("names the release at the start, and the reason at the end", async () => {
    const { service } = await fixture();
    await service.close();
    const lines = parse(service.log);
    expect(lines.find(({ msg }) => msg === "listening")).to.deep.include({
      version: release,
      address: `127.0.0.1:${service.port}`,
      chainId: 84532,
      level: 30,
      url: service.url,
      signer: service.signer,
      registry: service.environment.IDENTITY_REGISTRY,
      key: "private-key",
    });
    expect(lines.slice(-3).map(({ msg }) => msg)).to.deep.equal([
      "ending: asked to stop, and finishing the requests under way",
      "The audit trail's last row.",
      "ended",
    ]);
  });

  it("never holds requests, accounts or secrets", async () => {
    const { stack, proxy, service, secrets } = await fixture();
    const accountId = "account-3141592653";
    const participant = await stack.participate({ traits: { followers: "1234567" } });
    const wallet = await stack.addWallet({ accountId, traits: { followers: "7654321" } });
    const sent: string[] = [];
    const codes: unknown[] = [];
    const ask = async (body: { message: string; signature: string }) => {
      sent.push(body.message, ...body.message.split("\n").filter(isTelling), body.signature);
      const { status, body: answer } = await requestVerification(service.url, body);
      if (status === 200) sent.push(answer.signature, answer.identityHash);
      codes.push(answer.code ?? status);
    };
    const signed = (consumer: string) => signedRequest(wallet, consumer);

    await ask(await signed(participant.address));
    await ask(await signed(`0x${"12".repeat(20)}`));
    await ask({ ...(await signed(participant.address)), signature: "0x1234567890abcdef1234" });
    await ask({ message: "a message that is none", signature: `0x${"ab".repeat(65)}` });
    await ask(await signedRequest(Wallet.createRandom(), participant.address));
    const demanding = { conditions: [{ name: "followers", op: "gt", value: "99999999" }] };
    await ask(await signed(await (await stack.deployConsumer(demanding)).getAddress()));
    const odd = { conditions: [{ name: "an odd name", op: "gt", value: "1" }] };
    await ask(await signed(await (await stack.deployConsumer(odd)).getAddress()));
    const cutting = await stack.deployConsumer();
    await (await cutting.getFunction("setCutoffBlock")(10n ** 12n)).wait();
    await ask(await signed(await cutting.getAddress()));
    proxy.behaviour = {
      answer: (method, answer) => {
        if (method !== "eth_call") return;
        delete answer.result;
        answer.error = { code: -32000, message: "words of the node" };
      },
    };
    await ask(await signed(participant.address));
    proxy.behaviour = {};
    const database = new DatabaseSync(stack.service.config.databaseUrl.slice("file:".length));
    database.exec("update credentials set sealed = 'v2.tampered.with.it'");
    database.close();
    await ask(await signed(participant.address));
    expect(codes).to.deep.equal([
      200,
      "contract_not_found",
      "invalid_argument",
      "invalid_argument",
      "verification_not_found",
      "conditions_not_satisfied",
      "invalid_policy",
      "needs_reauth",
      "chain_unavailable",
      "internal",
    ]);
    await fetch(`${service.url}/path-of-the-client?query-of-the-client`, {
      headers: { "x-request-id": "id-of-the-client" },
    });
    await sendRaw(service.port, "nonsense-of-the-client\r\n\r\n");

    const log = service.log.join("");
    expect(log).to.include("internal").and.include("chain_unavailable");
    for (const text of [
      ...sent,
      accountId,
      "7654321",
      "an odd name",
      "words of the node",
      "tampered",
      "of-the-client",
      "rpc-secret",
      ...Object.values(secrets).map((secret) => secret.slice(2)),
    ]) {
      expect(log.toLowerCase(), text).not.to.include(text.toLowerCase());
    }
  });

  it("says in a request's line why the chain was not there", async () => {
    const { stack, proxy, service } = await fixture();
    const { wallet, address } = await stack.participate();
    proxy.behaviour = { respond: (response) => response.destroy() };
    service.log.length = 0;
    await requestVerification(service.url, await signedRequest(wallet, address));
    const lines = parse(service.log).filter(({ msg }) => msg === "request");
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ level: 40, status: 503, code: "chain_unavailable" });
    expect(lines[0]?.reason).to.match(/^The chain is unavailable: The node .+\.$/);
  });

  it("shows where an internal failure came from, with the client's request id", async () => {
    const { stack, service } = await fixture();
    const { wallet, address } = await stack.participate();
    const database = new DatabaseSync(stack.service.config.databaseUrl.slice("file:".length));
    database.exec("update credentials set sealed = 'v9.unknown'");
    database.close();
    const { status, response, body } = await requestVerification(
      service.url,
      await signedRequest(wallet, address),
    );
    expect(status).to.equal(500);
    expect(body).to.have.all.keys("type", "title", "status", "detail", "message", "code");
    expect(body.detail).not.to.include("sealed");
    const line = parse(service.log).find(({ level }) => level === 50);
    expect(line?.requestId).to.equal(response.headers.get("x-request-id"));
    expect(JSON.stringify(line?.frames)).to.include("seal.ts");
    expect(JSON.stringify(line), "an error's words may be the client's").not.to.include("unknown format");
  });
});

/** Lines of a message that say something about who sent it. */
function isTelling(line: string): boolean {
  return line.length > 12 && line !== "Resources:";
}
