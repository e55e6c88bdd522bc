import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { metricsOf, read, readAlerts, readDashboard } from "../fixtures/deploy/deployFiles.ts";
import { needPrometheus, promtool } from "../fixtures/deploy/prometheus.ts";
import { splitCommands } from "../fixtures/markdown.ts";
import { sharedPostgres } from "../fixtures/signer/postgres.ts";
import { startTestSigner } from "../fixtures/signer/signer.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const file = "deploy/prometheus/alerts.yaml";
const runbook = "docs/operations.md";

/** Those that a real service tells Prometheus, whether there is a sample of them yet or not. */
async function scrapeNames(url: string): Promise<string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = ""]) => name);
}

describe("The alerts", function () {
  this.timeout(30_000);

  it("are ten, each with its entry in the runbook, and there is no other entry", () => {
    const alerts = readAlerts();
    expect(alerts).to.have.length(10);
    const page = `https://github.com/hardhat-identity/hardhat-identity/blob/main/${runbook}`;
    for (const { alert, annotations } of alerts) {
      expect(annotations.runbook_url).to.equal(`${page}#${alert.toLowerCase()}`);
      expect(annotations.summary, alert).to.be.a("string");
    }
    const entries = [...read(runbook).matchAll(/^#+ (Identity\w+)$/gm)].map(([, name]) => name);
    expect(entries).to.have.members(alerts.map(({ alert }) => alert));
  });

  it("have three commands each in the runbook", () => {
    for (const { alert } of readAlerts()) {
      const [, entry = ""] = read(runbook).split(`### ${alert}\n`);
      const [, commands = ""] = /^```sh\n([\s\S]*?)^```$/m.exec(entry.split(/^##/m)[0] ?? "") ?? [];
      expect(splitCommands(commands), alert).to.have.length(3);
    }
  });

  it("have commands in the runbook that read PostgreSQL's statistics as superuser, as others get empty columns", () => {
    const commands = splitCommands(read(runbook)).filter((line) => line.includes("from pg_stat_"));
    expect(commands).to.have.length(2);
    for (const command of commands) expect(command).to.match(/^sudo -u postgres psql /);
  });

  it("are understood by Prometheus, and fire after as long as they say, when they should and not when not", async function () {
    needPrometheus(this);
    await promtool("check", "rules", join(root, file));
    await promtool("check", "config", join(root, "deploy/prometheus/prometheus.yaml"));
    await promtool("test", "rules", join(root, "test/deploy/alerts.yaml"));
  });

  it("name, as the dashboard and the runbook do, metrics that the service has", async () => {
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
    const asked = [
      ...splitCommands(read(runbook))
        .join("\n")
        .matchAll(/\/metrics \| grep '\^(\w+?)_?(?:'|\\\()/g),
    ].map(([, name = ""]) => name);
    expect(asked).to.have.length(5);
    for (const name of asked) expect(names.join(" ")).to.match(new RegExp(`\\b${name}`));
  });
});

describe("The dashboard", () => {
  it("shows every metric of ours that an operator may have to look at", () => {
    const shown = readDashboard().expressions.flatMap(({ expression }) => metricsOf(expression));
    const page = read("docs/signer.md");
    const metrics = [...page.matchAll(/^- `(identity_\w+)`/gm)].map(([, name = ""]) => name);
    // It has an alert, and is no curve to look at.
    const elsewhere = ["identity_audit_problems_total"];
    expect(metrics.filter((name) => !shown.includes(name))).to.deep.equal(elsewhere);
  });

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
