import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse, stringify } from "yaml";
import { development } from "../../protocol/development.ts";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { metricsOf, read, readAlerts, readDashboard } from "../fixtures/deploy/deployFiles.ts";
import { needPrometheus, promtool, startPrometheus, untilTrue } from "../fixtures/deploy/prometheus.ts";
import { sharedPostgres } from "../fixtures/signer/postgres.ts";
import { startTestSigner } from "../fixtures/signer/signer.ts";
import { requestVerification } from "../fixtures/signer/signIn.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const file = "deploy/prometheus/alerts.yaml";
const runbook = "docs/operations.md";

/** A service, and a Prometheus that scrapes it every second as the files say, and does not wait before it alerts. */
async function watchedService() {
  const { rpcUrl, registry } = await serveChainWithRegistry();
  const service = await startTestSigner({
    IDENTITY_RPC_URL: rpcUrl,
    IDENTITY_REGISTRY: await registry.getAddress(),
  });
  const configuration = parse(read("deploy/prometheus/prometheus.yaml"));
  const [job] = configuration.scrape_configs;
  job.scrape_interval = "1s";
  job.scrape_timeout = "1s";
  job.static_configs = [{ targets: [new URL(service.url).host] }];
  const rules = parse(read(file));
  for (const { rules: alerts } of rules.groups) for (const alert of alerts) alert.for = "0s";
  const prometheus = await startPrometheus(
    { global: { evaluation_interval: "1s" }, ...configuration },
    { "alerts.yaml": rules },
  );
  // Before the first scrape there is no replica, to which one of them may have been quick to object.
  await untilTrue(
    async () =>
      (await prometheus.query("identity_ready")).length === 4 && (await prometheus.firing()).length === 0,
  );
  return { service, registry, prometheus };
}

/** Those that a real service tells Prometheus, whether there is a sample of them yet or not. */
async function scrapeNames(url: string): Promise<string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = ""]) => name);
}

describe("The alerts", function () {
  this.timeout(300_000);

  it("are five, each with its entry in the runbook, and there is no other entry", () => {
    const alerts = readAlerts();
    expect(alerts).to.have.length(5);
    const page = `https://github.com/hardhat-identity/hardhat-identity/blob/main/${runbook}`;
    for (const { alert, annotations } of alerts) {
      expect(annotations.runbook_url).to.equal(`${page}#${alert.toLowerCase()}`);
      expect(annotations.summary, alert).to.be.a("string");
    }
    const entries = [...read(runbook).matchAll(/^#+ (Identity\w+)$/gm)].map(([, name]) => name);
    expect(entries).to.have.members(alerts.map(({ alert }) => alert));
  });

  it("are understood by Prometheus, and fire after as long as they say, when they should and not when not", async function () {
    needPrometheus(this);
    await promtool("check", "rules", join(root, file));
    await promtool("check", "config", join(root, "deploy/prometheus/prometheus.yaml"));
    await promtool("test", "rules", join(root, "test/deploy/alerts.yaml"));
  });

  it("name, as the dashboard does, metrics that the service has", async () => {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const address = await registry.getAddress();
    // What tells of connections is there with PostgreSQL alone.
    const { url } = await startTestSigner({
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_REGISTRY: address,
      IDENTITY_DATABASE_URL: await (await sharedPostgres()).createDatabase(),
    });
    const names = await scrapeNames(url);
    const expressions = [
      ...readAlerts().map(({ expr }) => expr),
      ...readDashboard().expressions.map(({ expression }) => expression),
    ];
    const used = new Set(expressions.flatMap(metricsOf));
    expect(names).to.include.members([...used]);
  });

  it("fire in a real Prometheus when the signer is taken off the allowlist, and end when it is back", async function () {
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

  it("fire in a real Prometheus when the service is gone", async function () {
    needPrometheus(this);
    const { service, prometheus } = await watchedService();
    await service.close();
    await untilTrue(async () =>
      (await prometheus.firing()).some((each) => each.alertname === "IdentityReplicaDown"),
    );
  });

  it("stand beside a dashboard whose every expression a real Prometheus understands", async function () {
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
    expect(checks.map(({ value }) => value[1])).to.deep.equal(["1", "1", "1", "1"]);
  });
});

describe("The dashboard", () => {
  it("takes whichever data source its reader has, and no panel another", () => {
    const { panels, variables } = readDashboard();
    expect(variables.map(({ name, type }) => [name, type])).to.deep.equal([
      ["datasource", "datasource"],
      ["job", "query"],
      ["instance", "query"],
    ]);
    const uids = [...read("deploy/grafana/dashboard.json").matchAll(/"uid": "([^"]+)"/g)].map(
      ([, uid]) => uid,
    );
    expect(new Set(uids)).to.deep.equal(new Set([`\${datasource}`, "identity-signer"]));
    const titles = panels.map(({ title }) => title);
    expect(new Set(titles).size).to.equal(titles.length);
  });

  it("asks of every panel what promtool understands", async function () {
    needPrometheus(this);
    const rules = readDashboard().expressions.map(({ expression }, i) => ({
      record: `panel:${i}`,
      expr: expression,
    }));
    const path = join(await temporaryFolder(), "panels.yaml");
    writeFileSync(path, stringify({ groups: [{ name: "panels", rules }] }));
    expect(await promtool("check", "rules", path)).to.include(`${rules.length} rules found`);
  });
});
