import { expect } from "chai";
import { toQuantity, Wallet } from "ethers";
import type { ReadinessReport } from "../../../packages/protocol/health.ts";
import { openCredentialStore } from "../../../signer/index.ts";
import { hideLocalNode, serveProxy } from "../../fixtures/chain/proxy.ts";
import { daysAgo, passTime } from "../../fixtures/passTime.ts";
import { readAudit } from "../../fixtures/signer/audit.ts";
import { readMetric, startTestSigner } from "../../fixtures/signer/signer.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { ownSecrets, startOwnStack } from "../../fixtures/signer/stack.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

const minute = 60;
const day = 86_400;
const lifetime = 200;
const setting = { IDENTITY_VERIFICATION_LIFETIME: String(lifetime) };

const now = () => Math.floor(Date.now() / 1_000);

/** A service with secrets of its own on a public chain, by whose blocks this machine's clock is ahead by so many seconds. */
async function fixture(env: Record<string, string> = {}) {
  const secrets = ownSecrets();
  const stack = await startOwnStack(secrets);
  const chain = { ahead: 0, pendingAfter: 2, latest: 0 };
  const proxy = await serveProxy(stack.rpcUrl, {
    instead(call) {
      const hidden = hideLocalNode.instead?.(call);
      if (hidden !== undefined || call.method !== "eth_getBlockByNumber") return hidden;
      if (call.params?.[0] !== "latest" && call.params?.[0] !== "pending") return undefined;
      chain.latest = now() - chain.ahead;
      const after = call.params[0] === "latest" ? 0 : chain.pendingAfter;
      return { result: { number: "0x1000", timestamp: toQuantity(chain.latest + after) } };
    },
  });
  const environment = {
    ...secrets,
    IDENTITY_RPC_URL: proxy.url,
    IDENTITY_REGISTRY: stack.registry,
    IDENTITY_DATABASE_URL: stack.service.config.databaseUrl,
    ...env,
  };
  const service = await startTestSigner(environment);
  const { address, wallet } = await stack.participate();
  /** The answer to a message that the wallet signs at this time, unix seconds. */
  const ask = async (issuedAt: number, who: Wallet | typeof wallet = wallet) => {
    const fields = { issuedAt: new Date(issuedAt * 1_000) };
    // Contracts are read once a second.
    passTime(1_000);
    return requestVerification(service.url, await signedRequest(who, address, fields));
  };
  const readyz = async () => {
    passTime(1_000);
    const response = await fetch(`${service.url}/readyz`);
    const { checks } = (await response.json()) as ReadinessReport;
    return { status: response.status, checks };
  };
  expect((await ask(now())).status).to.equal(200);
  return { ...stack, environment, service, chain, ask, readyz };
}

describe("A service whose clock is ahead of the chain's blocks, or behind them", () => {
  for (const [how, ahead] of [
    ["two minutes ahead", 2 * minute],
    ["fifteen minutes ahead", 15 * minute],
    ["a day behind", -day],
  ] as const) {
    it(`is unready and gives no verdict if it is ${how}, whichever clock dates the message`, async () => {
      const { service, chain, ask, readyz } = await fixture();
      chain.ahead = ahead;
      expect((await ask(now())).status).to.equal(503);
      expect(service.log.join(""), "also without a probe").to.include('"not ready');
      const { status, checks } = await readyz();
      expect(status).to.equal(503);
      expect(checks.chain).to.deep.equal({ ok: true });
      expect(checks.clock.ok).to.equal(false);
      expect(checks.clock.detail).to.include(ahead > 0 ? "the clock is ahead" : "clock is behind");
      for (const who of [undefined, Wallet.createRandom()]) {
        for (const issuedAt of [now(), now() - ahead]) {
          const { status, body, response } = await ask(issuedAt, who);
          expect([status, body.code]).to.deep.equal([503, "not_ready"]);
          expect(body.detail).to.match(/cannot tell the time right now; its operator has to act\.$/);
          expect(response.headers.get("retry-after")).to.equal("10");
          expect(body).not.to.have.any.keys("signature", "serviceTime");
        }
      }
      const lines = service.log.filter((line) => line.includes(checks.clock.detail ?? "?"));
      expect(lines, "one line, not one for each request").to.have.length(1);
      expect(await readMetric(service.url, 'identity_ready{check="clock"}')).to.equal(0);
      expect(await readMetric(service.url, "identity_clock_ahead_seconds")).to.be.closeTo(ahead, 30);

      chain.ahead = 0;
      expect((await readyz()).status).to.equal(200);
      expect((await ask(now())).status).to.equal(200);
    });
  }

  it("is ready again once the difference is well below a minute, but signs as soon as it is below", async () => {
    const { chain, ask, readyz } = await fixture();
    for (const [ahead, status, signs] of [
      [58, 200, 200],
      [62, 503, 503],
      [58, 503, 200],
      [62, 503, 503],
      [47, 503, 200],
      [43, 200, 200],
      [58, 200, 200],
    ] as const) {
      chain.ahead = ahead;
      expect((await ask(now())).status, `${ahead} s`).to.equal(signs);
      expect((await readyz()).status, `${ahead} s`).to.equal(status);
    }
  });

  it("serves up to a minute's difference", async () => {
    const { chain, ask, readyz } = await fixture();
    for (const ahead of [50, -50]) {
      chain.ahead = ahead;
      expect((await readyz()).status).to.equal(200);
      expect((await ask(now())).status, `${ahead} s`).to.equal(200);
    }
  });

  it("still refuses only messages that are too old if the clocks agree, and says what time it is", async () => {
    const { ask } = await fixture();
    for (const issuedAt of [now() - day, now() + day]) {
      const { body } = await ask(issuedAt);
      expect(body.code).to.equal("invalid_argument");
      expect(Date.parse(String(body.serviceTime))).to.be.closeTo(Date.now(), 10_000);
    }
  });

  it("lets nobody prove or keep an account, which it could not date, and spends nothing of the sign-in", async () => {
    const { service, chain, readyz } = await fixture({
      IDENTITY_MICROBLOG_CLIENT_ID: "client",
      IDENTITY_MICROBLOG_CLIENT_SECRET: "hush",
    });
    const visitor = new Visitor(service.url);
    await visitor.signIn();
    const prove = () => visitor.act("prove", { provider: "microblog", query: "" });
    const { body } = await prove();
    const state = new URL(body.location).searchParams.get("state");
    const callback = `${service.url}/verify/callback/microblog?error=access_denied&state=${state}`;
    const comeBack = async () => (await visitor.browser.request(callback)).status;
    const { proof } = (await visitor.overview()).body;
    const keep = async () => (await visitor.act("keep", { proof: proof?.id ?? "none" })).status;
    for (const [ahead, expected] of [
      [day, [503, 503, 503]],
      [-day, [503, 503, 503]],
      [0, [200, 409, 303]],
    ] as const) {
      chain.ahead = ahead;
      await readyz();
      expect([(await prove()).status, await keep(), await comeBack()]).to.deep.equal(expected);
    }
    expect((await visitor.overview()).body.proof).to.include({ step: "failed", reason: "denied" });
  });
});

describe("A replica that starts with its clock 500 days ahead", () => {
  it("removes nothing from the audit trail, and does so once the chain confirms its clock", async () => {
    const { environment, chain } = await fixture();
    const options = {
      databaseUrl: environment.IDENTITY_DATABASE_URL,
      masterSecret: environment.IDENTITY_MASTER_SECRET,
    };
    await daysAgo(500, async () => {
      const store = await openCredentialStore(options);
      await store.endSessions();
      await store.close();
    });
    const hasEntry = async () => (await readAudit(options)).some(({ event }) => event === "sessions-ended");
    for (const [ahead, days, stays] of [
      [500 * day, 400, true],
      [-500 * day, 400, true],
      [0, 0, true],
      [0, 501, true],
      [0, 499, false],
    ] as const) {
      chain.ahead = ahead;
      const { close, log } = await startTestSigner({ ...environment, IDENTITY_AUDIT_RETENTION: `${days}` });
      await close();
      expect(await hasEntry(), `after ${days} days`).to.equal(stays);
      expect(log.join("").includes("could not be removed")).to.equal(ahead !== 0);
    }
  });
});

describe("The expiration of a verification", () => {
  it("is at most the lifetime and a minute after the latest block", async () => {
    const { chain, ask } = await fixture(setting);
    for (const [ahead, pendingAfter] of [
      [50, 2],
      [50, 100],
      [0, 1_000],
      [-50, 1_000],
      [-50, 2],
    ] as const) {
      Object.assign(chain, { ahead, pendingAfter });
      const { body } = await ask(now());
      expect(body.expiration).to.be.at.most(chain.latest + lifetime + minute);
      expect(body.expiration).to.be.at.least(chain.latest + lifetime - minute);
    }
  });
});

describe("A local node, for a service with secrets of its own", () => {
  it("may be idle with an old latest block, as the next block's clock counts", async () => {
    const stack = await startOwnStack();
    const proxy = await serveProxy(stack.rpcUrl, {
      instead: ({ method, params }) =>
        method === "eth_getBlockByNumber" && params?.[0] === "latest"
          ? { result: { number: "0x10", timestamp: toQuantity(now() - day) } }
          : undefined,
    });
    const service = await stack.startReplica({ ...setting, IDENTITY_RPC_URL: proxy.url });
    const { address, wallet } = await stack.participate();
    const { status, body } = await requestVerification(service.url, await signedRequest(wallet, address));
    expect(status).to.equal(200);
    expect(body.expiration).to.be.closeTo(now() + lifetime, 90);
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
  });
});
