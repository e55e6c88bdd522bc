import { expect } from "chai";
import { parse } from "yaml";
import { development } from "../../packages/protocol/development.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { read, readDashboard } from "../fixtures/deploy/deployFiles.ts";
import { needPrometheus, startPrometheus, untilTrue } from "../fixtures/deploy/prometheus.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { startTestSigner } from "../fixtures/signer/signer.ts";
import { requestVerification } from "../fixtures/signer/signIn.ts";
import { Visitor } from "../fixtures/signer/visitor.ts";
import { watchedRegistry } from "../fixtures/signer/watchedRegistry.ts";

/** A service, and a Prometheus that scrapes it every second as the files say, and does not wait before it alerts. */
async function watchedService(env: Readonly<Record<string, string>> = {}) {
  const { rpcUrl, registry } = await serveChainWithRegistry();
  const service = await startTestSigner({
    IDENTITY_RPC_URL: rpcUrl,
    IDENTITY_REGISTRY: await registry.getAddress(),
    ...env,
  });
  const prometheus = await watch(new URL(service.url).host);
  // Before the first scrape there is no replica, to which one of them may have been quick to object.
  await untilTrue(
    async () =>
      (await prometheus.query("identity_ready")).length === 6 && (await prometheus.firing()).length === 0,
  );
  return { service, registry, prometheus };
}

async function watch(target: string, name = "identity-signer") {
  // The job of the watch is a comment, for those who run it.
  const configuration = parse(
    read("deploy/prometheus/prometheus.yaml").replaceAll(
      /^ {2}# (- job_name| {2}(?:static|scrape))/gm,
      "  $1",
    ),
  );
  const job = configuration.scrape_configs.find(({ job_name }: { job_name: string }) => job_name === name);
  configuration.scrape_configs = [job];
  job.scrape_interval = "1s";
  job.scrape_timeout = "1s";
  job.static_configs = [{ targets: [target] }];
  const rules = parse(read("deploy/prometheus/alerts.yaml"));
  for (const { rules: alerts } of rules.groups) {
    for (const alert of alerts) {
      alert.for = "0s";
      delete alert.keep_firing_for;
    }
  }
  return await startPrometheus(
    { ...configuration, global: { evaluation_interval: "1s" } },
    { "alerts.yaml": rules },
  );
}

// Each alert, by what Prometheus would scrape: alerts.test.ts.
describe("The alerts in a real Prometheus", function () {
  this.timeout(300_000);

  it("fire when the signer is taken off the allowlist, and end when it is back", async function () {
    needPrometheus(this);
    const { registry, prometheus } = await watchedService();
    await (await registry.getFunction("removeSigner")(development.signer)).wait();
    await untilTrue(async () => (await prometheus.firing()).length > 0);
    const [alert, ...others] = await prometheus.firing();
    expect(alert).to.include({ alertname: "IdentitySignerNotAllowed", severity: "page" });
    expect(others).to.deep.equal([]);
    await (await registry.getFunction("addSigner")(development.signer)).wait();
    await untilTrue(async () => (await prometheus.firing()).length === 0);
  });

  it("fire for a store that lost its credentials, and not for an unused service", async function () {
    needPrometheus(this);
    const { service, prometheus } = await watchedService();
    const isPresent = async () =>
      (await prometheus.query("identity_store_credentials_present"))[0]?.value[1] === "1";
    expect(await isPresent()).to.equal(false);
    const [wallet, provider] = ["0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "microblog"];
    const { databaseUrl } = service.config;
    const store = await openCredentialStore({ databaseUrl, masterSecret: development.masterSecret });
    onCleanup(() => store.close());
    await store.set({ wallet, provider, accountId: "1", traits: {}, authenticatedAt: 1 });
    await untilTrue(isPresent);
    await store.delete(wallet, provider);
    await untilTrue(async () => (await prometheus.firing()).length > 0);
    expect((await prometheus.firing()).map(({ alertname }) => alertname)).to.deep.equal([
      "IdentityStoreEmpty",
    ]);
  });

  it("fire when a provider fails three people in a row, and end once somebody gets through", async function () {
    needPrometheus(this);
    const token = { status: 503, body: "{}" };
    const { url: provider } = await serveHttp(({ url }, response) => {
      const account = {
        data: { id: "1001", username: "a", verified: true, public_metrics: { followers_count: 5 } },
      };
      const [status, body] = url?.startsWith("/2/users")
        ? [200, JSON.stringify(account)]
        : [token.status, token.body];
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
    const { service, prometheus } = await watchedService({
      IDENTITY_MICROBLOG_CLIENT_ID: "app",
      IDENTITY_MICROBLOG_CLIENT_SECRET: "app-secret",
      IDENTITY_MICROBLOG_BASE_URL: provider,
    });
    const signInAtProvider = async () => {
      const visitor = new Visitor(service.url);
      await visitor.signIn();
      const { body } = await visitor.act("prove", { provider: "microblog", query: "" });
      const state = new URL(body.location).searchParams.get("state") ?? "";
      const callback = `${service.url}/verify/callback/microblog?code=c&state=${state}`;
      await visitor.browser.visit(callback, { until: ({ pathname }) => pathname === "/verify" });
      return (await visitor.overview()).body.proof;
    };
    const counted = async (outcome: string) =>
      Number((await prometheus.query(`identity_provider_sign_ins_total{outcome="${outcome}"}`))[0]?.value[1]);
    for (let failures = 1; failures <= 3; failures++) {
      expect(await signInAtProvider()).to.include({ step: "failed", reason: "provider_error" });
      expect(await prometheus.firing()).to.deep.equal([]);
      await untilTrue(async () => (await counted("provider_error")) === failures);
    }
    await untilTrue(async () => (await prometheus.firing()).length > 0);
    const [alert, ...others] = await prometheus.firing();
    expect(alert).to.include({
      alertname: "IdentityProviderFails",
      severity: "page",
      provider: "microblog",
    });
    expect(others).to.deep.equal([]);
    Object.assign(token, {
      status: 200,
      body: '{"access_token":"t","token_type":"bearer","scope":"users.read tweet.read"}',
    });
    expect(await signInAtProvider()).to.include({ step: "proven" });
    await untilTrue(async () => (await prometheus.firing()).length === 0);
  });

  it("fire for a forged claim that a running watch finds, and when the watch is gone", async function () {
    needPrometheus(this);
    const { consumer, forge, claim, start } = await watchedRegistry();
    const port = String(await findFreePort());
    const watching = start([], { IDENTITY_METRICS_PORT: port });
    await watching.waitFor(/"watching"/);
    const prometheus = await watch(`127.0.0.1:${port}`, "identity-watch");
    // No service is scraped here.
    const firing = async () =>
      (await prometheus.firing()).filter(({ alertname }) => alertname !== "IdentityReplicaDown");
    const judged = async () =>
      Number((await prometheus.query("identity_watch_judged_timestamp_seconds"))[0]?.value[1] ?? 0);
    await untilTrue(async () => (await judged()) > 0 && (await firing()).length === 0);
    await claim(consumer, await forge(consumer, "nobody"));
    await untilTrue(async () => (await firing()).length > 0);
    const [alert, ...others] = await firing();
    expect(alert).to.include({ alertname: "IdentityClaimForged", severity: "page" });
    expect(others).to.deep.equal([]);
    await watching.stop("SIGKILL");
    await untilTrue(async () =>
      (await firing()).some(({ alertname }) => alertname === "IdentityWatchStandsStill"),
    );
  });

  it("come with a dashboard whose every expression Prometheus understands", async function () {
    needPrometheus(this);
    const { service, prometheus } = await watchedService();
    await requestVerification(service.url, {});
    const { expressions } = readDashboard();
    expect(expressions.length).to.be.greaterThan(20);
    for (const { title, expression } of expressions) {
      expect(await prometheus.query(expression), title).to.be.an("array");
    }
    const ready = expressions.find(({ title }) => title === "Ready");
    const checks = await prometheus.query(ready?.expression ?? "");
    expect(checks.map(({ value }) => value[1])).to.deep.equal(["1", "1", "1", "1", "1", "1"]);
  });
});
