import { expect } from "chai";
import { parse } from "yaml";
import { development } from "../../protocol/development.ts";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { read, readDashboard } from "../fixtures/deploy/deployFiles.ts";
import { needPrometheus, startPrometheus, untilTrue } from "../fixtures/deploy/prometheus.ts";
import { startTestSigner } from "../fixtures/signer/signer.ts";
import { requestVerification } from "../fixtures/signer/signIn.ts";

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
  const rules = parse(read("deploy/prometheus/alerts.yaml"));
  for (const { rules: alerts } of rules.groups) for (const alert of alerts) alert.for = "0s";
  const prometheus = await startPrometheus(
    { global: { evaluation_interval: "1s" }, ...configuration },
    { "alerts.yaml": rules },
  );
  // Before the first scrape there is no replica, to which one of them may have been quick to object.
  await untilTrue(
    async () =>
      (await prometheus.query("identity_ready")).length === 6 && (await prometheus.firing()).length === 0,
  );
  return { service, registry, prometheus };
}

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

  it("fire when the service is gone", async function () {
    needPrometheus(this);
    const { service, prometheus } = await watchedService();
    await service.close();
    await untilTrue(async () =>
      (await prometheus.firing()).some((each) => each.alertname === "IdentityReplicaDown"),
    );
  });

  it("stand beside a dashboard whose every expression it understands", async function () {
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
