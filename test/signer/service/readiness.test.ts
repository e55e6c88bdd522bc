import { readFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { hexlify, id, randomBytes, Wallet } from "ethers";
import { pino } from "pino";
import { connectChain } from "../../../packages/protocol/chain/connect.ts";
import { watchLocality } from "../../../packages/protocol/chain/localNode.ts";
import { development } from "../../../packages/protocol/development.ts";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { privateKeySource } from "../../../signer/internal/keys/openKeySource.ts";
import { followKey } from "../../../signer/internal/keys/signingKeys.ts";
import { watchReadiness } from "../../../signer/internal/service/readiness.ts";
import { deploy, serveChainWithRegistry } from "../../fixtures/chain/localChain.ts";
import { hideLocalNode, serveProxy } from "../../fixtures/chain/proxy.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { passTime, stopTime } from "../../fixtures/passTime.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { openTestCurve } from "../../fixtures/signer/curves.ts";
import { readMetric, startTestSigner } from "../../fixtures/signer/signer.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { ownSecrets, startOwnStack, startStack } from "../../fixtures/signer/stack.ts";

interface Report {
  readonly status: string;
  readonly checks: Record<
    "chain" | "clock" | "store" | "signer" | "erasure",
    { ok: boolean; detail?: string }
  >;
}

/** A reading of just now, by which the registry has a signer. */
const allowing = (signer: string) => ({
  allowlist: { allowed: [signer], problem: undefined },
  age: () => 0,
});

async function readyz(url: string) {
  // A reading that is under way may have begun before what this is about.
  await fetch(`${url}/readyz`);
  // An older answer is given to nobody.
  passTime(1_000);
  const response = await fetch(`${url}/readyz`);
  const { checks } = (await response.json()) as Report;
  return { status: response.status, checks };
}

describe("GET /readyz", () => {
  it("is 200 if chain, store and signer are in order", async () => {
    const { url } = await startStack();
    const response = await fetch(`${url}/readyz`);
    expect(response.status).to.equal(200);
    expect(response.headers.get("cache-control")).to.equal("no-store");
    const good = { ok: true };
    expect(await response.json()).to.deep.equal({
      status: "ready",
      checks: { chain: good, clock: good, store: good, key: good, signer: good, erasure: good },
    });
  });

  it("is 503 while this machine's clock is late by the chain's, and what is signed now is not refused for good", async () => {
    const stack = await startOwnStack();
    const { request } = await stack.participate();
    const early = { issuedAt: new Date(Date.now() + 120_000) };
    expect((await request(early)).body.code).to.equal("invalid_argument");

    await stack.provider.send("evm_increaseTime", [120]);
    const { status, checks } = await readyz(stack.url);
    expect(status).to.equal(503);
    expect(checks.clock.ok).to.equal(false);
    expect(checks.clock.detail).to.include("clock is behind");
    const refused = await request(early);
    expect([refused.status, refused.body.code]).to.deep.equal([503, "not_ready"]);
    expect(Number(refused.response.headers.get("retry-after"))).to.be.greaterThan(0);
  });

  it("is 503 while the signer is not on the allowlist; nothing is signed, and the log says what to do", async () => {
    const stack = await startStack(ownSecrets());
    const { signer } = stack.service;
    expect(stack.service.log.join(""), "before anybody asks").to.include("not ready");
    const { request } = await stack.participate();

    const { status, checks } = await readyz(stack.url);
    expect(status).to.equal(503);
    expect(checks.chain.ok && checks.store.ok).to.equal(true);
    expect(checks.signer.ok).to.equal(false);
    expect(checks.signer.detail).to.include(`addSigner(${signer})`);
    const refused = await request();
    expect(refused.status).to.equal(503);
    expect(refused.body.code).to.equal("not_ready");
    expect(Number(refused.response.headers.get("retry-after"))).to.be.greaterThan(0);
    expect(refused.body).not.to.have.property("signature");
    const warnings = stack.service.log.filter((line) => line.includes(`addSigner(${signer})`));
    expect(warnings, "one line, not one for each request").to.have.length(1);

    await (await stack.registryContract.getFunction("addSigner")(signer)).wait();
    expect((await request()).status).to.equal(200);
    expect((await readyz(stack.url)).status).to.equal(200);
    await (await stack.registryContract.getFunction("removeSigner")(signer)).wait();
    expect((await request()).body.code).to.equal("not_ready");
  });

  it("says of a signer that was on the allowlist that it was removed, on all replicas and after a restart", async () => {
    const stack = await startOwnStack();
    const { signer } = stack.service;
    expect((await readyz(stack.url)).status).to.equal(200);
    await (await stack.registryContract.getFunction("removeSigner")(signer)).wait();
    const restarted = await stack.startReplica();
    for (const { url, log } of [stack.service, restarted]) {
      const { status, checks } = await readyz(url);
      expect(status).to.equal(503);
      expect(checks.signer.detail).to.include(`The signer ${signer} was removed`).and.include("leaks.md");
      expect(JSON.stringify(checks)).not.to.include("addSigner");
      expect(log.join("")).to.include("was removed");
    }
    await (await stack.registryContract.getFunction("addSigner")(signer)).wait();
    expect((await readyz(stack.url)).status).to.equal(200);
  });

  it("does not ask to add a next signer that was removed", async () => {
    const stack = await startOwnStack();
    const key = hexlify(randomBytes(32));
    const next = new Wallet(key).address;
    const call = async (name: string) => (await stack.registryContract.getFunction(name)(next)).wait();
    const { url } = await stack.startReplica({ IDENTITY_NEXT_SIGNING_KEY: key });
    expect((await readyz(url)).checks.signer.detail).to.include(`addSigner(${next})`);
    await call("addSigner");
    expect((await readyz(url)).checks.signer.detail).to.include(`The next signer ${next} signs`);
    await call("removeSigner");
    const { status, checks } = await readyz(url);
    expect(status).to.equal(200);
    expect(checks.signer.detail).to.include(`The signer ${next} was removed`).and.not.include("addSigner");
  });

  it("is 503 when the configured registry is another contract, even one that says yes to everything", async () => {
    const { rpcUrl, deployer } = await serveChainWithRegistry();
    const contract = await deploy(deployer, "ScriptedConsumer");
    const yes = `0x${"00".repeat(31)}01`;
    await (await contract.getFunction("script")(id("isSigner(address)").slice(0, 10), false, yes)).wait();
    const registry = await contract.getAddress();
    const { url } = await startTestSigner({ IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: registry });
    const { status, checks } = await readyz(url);
    expect(status).to.equal(503);
    expect(checks.signer).to.deep.equal({
      ok: false,
      detail: `The contract ${registry} is not a SignerRegistry. Set IDENTITY_REGISTRY to the deployed SignerRegistry.`,
    });
  });

  it("names the setting to change for a node of another chain, and for one that redirects", async () => {
    const { rpcUrl, registry } = await startStack();
    const { url: moved } = await serveHttp((_request, response) =>
      response.writeHead(308, { location: `${rpcUrl}/v2` }).end(),
    );
    const chainOf = async (env: { IDENTITY_RPC_URL: string; IDENTITY_CHAIN_ID?: string }) => {
      const { url } = await startTestSigner({ ...ownSecrets(), IDENTITY_REGISTRY: registry, ...env });
      const { status, checks } = await readyz(url);
      expect(status).to.equal(503);
      return checks.chain.detail;
    };
    expect(await chainOf({ IDENTITY_RPC_URL: rpcUrl, IDENTITY_CHAIN_ID: "8453" })).to.equal(
      "The node is on chain 84532, not on chain 8453. Set IDENTITY_RPC_URL to a node of the chain that IDENTITY_CHAIN_ID names, or correct that id.",
    );
    expect(await chainOf({ IDENTITY_RPC_URL: moved })).to.equal(
      `The node answered HTTP 308, a redirect to ${rpcUrl}, which is not followed. Set IDENTITY_RPC_URL to the URL where the redirect ends, with its path and slashes.`,
    );
  });

  it("asks the node once a second at most", async () => {
    const stack = await startStack();
    const proxy = await serveProxy(stack.rpcUrl);
    const { url } = await startTestSigner({
      IDENTITY_RPC_URL: proxy.url,
      IDENTITY_REGISTRY: stack.registry,
    });
    stopTime();
    expect((await readyz(url)).status).to.equal(200);
    const before = proxy.batches.length;
    const again = await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/readyz`)));
    await fetch(`${url}/metrics`);
    expect(again.map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
    expect(proxy.batches.length).to.equal(before);

    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    proxy.behaviour = { answer: () => held };
    const slow = Array.from({ length: 20 }, () => readyz(url));
    while (proxy.batches.length === before) await setImmediate();
    release();
    expect((await Promise.all(slow)).map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
    expect(proxy.batches.length).to.equal(before + 1);
  });

  it("is 200 while a deleted row is still in the store's log, and reports it", async () => {
    const stack = await startStack();
    const path = stack.service.config.databaseUrl.slice("file:".length);
    const { address } = await stack.addWallet();
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec("begin; select * from credentials");
    expect(await stack.store.delete(address, "microblog")).to.equal(true);
    const { url } = await startTestSigner({ ...stack.environment, IDENTITY_DATABASE_URL: `file:${path}` });
    const { status, checks } = await readyz(url);
    expect(status).to.equal(200);
    expect(checks.erasure.detail).to.equal(
      "Data that was deleted or replaced may still be in the store's log, because a reader holds on to it; erasure is retried until it succeeds.",
    );
    expect(await readMetric(url, 'identity_ready{check="erasure"}')).to.equal(0);
    reader.close();
    while (!(await readyz(url)).checks.erasure.ok) await setImmediate();
    expect((await readFile(`${path}-wal`)).includes(address)).to.equal(false);
  });

  it("names a node that is down, or on another chain, without its URL", async () => {
    const stack = await startStack();
    const proxy = await serveProxy(stack.rpcUrl);
    const { url, log, config } = await startTestSigner({
      IDENTITY_RPC_URL: `${proxy.url}/secret-key`,
      IDENTITY_REGISTRY: stack.registry,
    });
    expect((await readyz(url)).status).to.equal(200);
    // The report names one problem, although there is another.
    const database = new DatabaseSync(config.databaseUrl.slice("file:".length));
    database.exec("drop table properties");
    database.close();
    proxy.behaviour = { respond: (response) => response.destroy() };
    const down = await readyz(url);
    expect(down.status).to.equal(503);
    expect(down.checks).to.deep.include({
      chain: { ok: false, detail: "The node cannot be reached (UND_ERR_SOCKET)." },
      clock: { ok: false, detail: "The chain's time cannot be read." },
      signer: { ok: false, detail: "The registry cannot be read." },
      store: {
        ok: false,
        detail:
          "The credential store does not answer, or takes no writes; see IDENTITY_DATABASE_URL. The log says why.",
      },
    });
    expect(JSON.stringify(down)).not.to.include("secret-key").and.not.include(proxy.url);
    const lines = log.map((line) => JSON.parse(line)).filter(({ problem }) => problem);
    expect(lines.map(({ problem, reason }) => [problem, reason])).to.deep.equal([
      [down.checks.chain.detail, undefined],
    ]);
    proxy.behaviour = {
      answer: (method, answer) => {
        if (method === "eth_chainId") answer.result = "0x1";
      },
    };
    expect((await readyz(url)).checks.chain.detail)
      .to.include("on chain 1,")
      .and.include("84532");
  });
});

describe("A signer whose node is down when it starts", () => {
  it("starts unready, and serves once the node is there", async () => {
    const stack = await startOwnStack();
    const { wallet, address } = await stack.participate();
    const proxy = await serveProxy(stack.rpcUrl);
    proxy.behaviour = { respond: (response) => response.destroy() };
    const { url } = await stack.startReplica({ IDENTITY_RPC_URL: proxy.url });
    const request = await signedRequest(wallet, address);
    expect((await readyz(url)).checks.chain.ok).to.equal(false);
    expect((await requestVerification(url, request)).body.code).to.equal("chain_unavailable");
    proxy.behaviour = {};
    expect((await requestVerification(url, request)).status).to.equal(200);
    expect((await readyz(url)).status).to.equal(200);
  });
});

describe("The development secrets", () => {
  async function strangeNode() {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const proxy = await serveProxy(rpcUrl);
    proxy.behaviour = hideLocalNode;
    return { proxy, env: { IDENTITY_RPC_URL: proxy.url, IDENTITY_REGISTRY: await registry.getAddress() } };
  }

  it("are refused on a node that is not local", async () => {
    const { env } = await strangeNode();
    const { signingKey: IDENTITY_SIGNING_KEY } = development;
    const IDENTITY_MASTER_SECRET = development.masterSecret.toUpperCase().replace("X", "x");
    for (const given of [
      {},
      { IDENTITY_SIGNING_KEY },
      { IDENTITY_MASTER_SECRET },
      { IDENTITY_SIGNING_KEY, IDENTITY_MASTER_SECRET },
    ]) {
      const error = await rejection(startTestSigner({ ...env, ...given }));
      const names = "IDENTITY_SIGNING_KEY and IDENTITY_MASTER_SECRET";
      expect(error).to.be.instanceOf(InvalidInputError);
      expect(error.message).to.equal(
        `Without ${names} of your own, the service uses development secrets. They are public, and the node (IDENTITY_RPC_URL) is not a local development node; set ${names}.`,
      );
    }
  });

  it("are refused next to one of one's own", async () => {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const { env } = await strangeNode();
    const local = { IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: await registry.getAddress() };
    const { IDENTITY_SIGNING_KEY, IDENTITY_MASTER_SECRET } = ownSecrets();
    const mixtures: [Record<string, string>, string][] = [
      [
        { IDENTITY_NEXT_SIGNING_KEY: IDENTITY_SIGNING_KEY },
        "IDENTITY_SIGNING_KEY and IDENTITY_MASTER_SECRET",
      ],
      [{ IDENTITY_SIGNING_KEY }, "IDENTITY_MASTER_SECRET"],
      [{ IDENTITY_MASTER_SECRET }, "IDENTITY_SIGNING_KEY"],
      [{ IDENTITY_SIGNING_KEY: development.signingKey, IDENTITY_MASTER_SECRET }, "IDENTITY_SIGNING_KEY"],
      [
        {
          IDENTITY_SIGNING_KEY,
          IDENTITY_MASTER_SECRET: development.masterSecret.toUpperCase().replace("X", "x"),
        },
        "IDENTITY_MASTER_SECRET",
      ],
    ];
    for (const [given, name] of mixtures) {
      for (const node of [local, env]) {
        const error = await rejection(startTestSigner({ ...node, ...given }));
        expect(error).to.be.instanceOf(InvalidInputError);
        const are = name.includes(" and ")
          ? "are missing, or are development secrets"
          : "is missing, or is a development secret";
        expect(error.message).to.equal(
          `${name} ${are}. The development secrets are public, so the service does not combine them with your own; set ${name}.`,
        );
      }
    }
  });

  it("are refused like Hardhat's well-known accounts", async () => {
    const { env } = await strangeNode();
    const key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
    const { IDENTITY_MASTER_SECRET } = ownSecrets();
    const error = await rejection(
      startTestSigner({ ...env, IDENTITY_MASTER_SECRET, IDENTITY_SIGNING_KEY: key }),
    );
    expect(error.message).to.include("IDENTITY_SIGNING_KEY").and.not.include(key);
  });

  it("sign nothing when another node takes the local one's place", async () => {
    const stack = await startStack();
    const proxy = await serveProxy(stack.rpcUrl);
    const node = connectChain({ url: proxy.url, chainId: 84532 });
    const log: string[] = [];
    const { curve } = await openTestCurve();
    const readiness = watchReadiness({
      logger: pino({}, { write: (line) => void log.push(line) }),
      chain: node,
      store: stack.store,
      checkStore: stack.store.check,
      keys: followKey({
        registry: stack.registry,
        signingKey: privateKeySource(development.signingKey, curve, "IDENTITY_SIGNING_KEY"),
        nextSigningKey: undefined,
        tell: () => undefined,
      }),
      development: true,
      isLocal: watchLocality(node, 0),
    });
    expect((await readiness.requireKey(allowing(development.signer))).address).to.equal(development.signer);
    proxy.behaviour = hideLocalNode;
    const refused = await rejection(readiness.requireKey(allowing(development.signer)));
    expect(refused).to.include({
      code: "not_ready",
      retryAfter: 10,
      message: "The service cannot sign right now; its operator has to act.",
    });
    const [line, ...others] = log.map((text) => JSON.parse(text).problem);
    expect(others).to.deep.equal([]);
    expect(line).to.include("no longer a local one").and.include("IDENTITY_SIGNING_KEY");
    expect((await readiness.check()).checks.signer.detail).to.equal(line);
  });
});
