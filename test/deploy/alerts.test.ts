import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { parse, stringify } from "yaml";
import { serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import {
  documentedMetrics,
  metricsOf,
  read,
  readAlerts,
  readDashboard,
} from "../fixtures/deploy/deployFiles.ts";
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

  it("have one entry each in the runbook, which has no others", () => {
    const alerts = readAlerts();
    const page = `https://github.com/hardhat-identity/hardhat-identity/blob/main/${runbook}`;
    for (const { alert, annotations } of alerts) {
      expect(annotations.runbook_url).to.equal(`${page}#${alert.toLowerCase()}`);
      expect(annotations.summary, alert).to.be.a("string");
    }
    const entries = [...read(runbook).matchAll(/^#+ (Identity\w+)$/gm)].map(([, name]) => name);
    expect(entries).to.have.members(alerts.map(({ alert }) => alert));
  });

  it("pass promtool's rule tests: they fire after their time, and only when they should", async function () {
    needPrometheus(this);
    await promtool("check", "rules", join(root, file));
    await promtool("check", "config", join(root, "deploy/prometheus/prometheus.yaml"));
    await promtool("test", "rules", join(root, "test/deploy/alerts.yaml"));
  });

  it("fire within 20 seconds of a forged claim, and when they say, at the intervals of the shipped configuration", async function () {
    needPrometheus(this);
    const text = read("deploy/prometheus/prometheus.yaml");
    const { global, scrape_configs } = parse(text.replaceAll(/^ {2}# (- job_name| {2})/gm, "  $1"));
    const intervals = scrape_configs.map(
      ({ scrape_interval }: { scrape_interval: string }) => scrape_interval,
    );
    expect(new Set(intervals)).to.deep.equal(new Set(["10s"]));
    const firesAt = (alertname: string, eval_time: string, value: number) => ({
      expr: `count(ALERTS{alertname="${alertname}", alertstate="firing"}) or vector(0)`,
      eval_time,
      exp_samples: [{ labels: "{}", value }],
    });
    const test = {
      interval: intervals[0],
      // Both go wrong 40 seconds after the start.
      input_series: [
        { series: 'identity_watch_forged_claims{job="identity-watch", instance="w"}', values: "0x3 1x30" },
        {
          series: 'identity_ready{job="identity-signer", instance="a", check="store"}',
          values: "1x3 0x30",
        },
      ],
      promql_expr_test: [
        firesAt("IdentityClaimForged", "30s", 0),
        firesAt("IdentityClaimForged", "50s", 1),
        firesAt("IdentityStoreUnavailable", "90s", 0),
        firesAt("IdentityStoreUnavailable", "110s", 1),
      ],
    };
    const path = join(await temporaryFolder(), "intervals.yaml");
    const { evaluation_interval } = global;
    writeFileSync(path, stringify({ rule_files: [join(root, file)], evaluation_interval, tests: [test] }));
    await promtool("test", "rules", path);
  });

  it("use only metrics that the service has, as do dashboard and runbook", async () => {
    const { rpcUrl, registry } = await serveChainWithRegistry();
    const address = await registry.getAddress();
    // The metrics of connections exist only with PostgreSQL.
    const { url } = await startTestSigner({
      IDENTITY_RPC_URL: rpcUrl,
      IDENTITY_REGISTRY: address,
      IDENTITY_DATABASE_URL: await (await sharedPostgres()).createDatabase(),
    });
    // Those of the watch are compared with the page by a test of its own.
    const names = [...(await scrapeNames(url)), ...documentedMetrics("The watch")];
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
    expect(asked).not.to.deep.equal([]);
    for (const name of asked) expect(names.join(" ")).to.match(new RegExp(`\\b${name}`));
  });
});

describe("The dashboard", () => {
  it("shows every metric that has no alert alone", () => {
    const shown = readDashboard().expressions.flatMap(({ expression }) => metricsOf(expression));
    // They have an alert, and are no curves to look at.
    const elsewhere = [
      "identity_store_credentials_present",
      "identity_audit_problems_total",
      "identity_log_lines_lost_total",
    ];
    expect(documentedMetrics("The service").filter((name) => !shown.includes(name))).to.deep.equal(elsewhere);
  });

  it("has panels of different titles, which use its variable for the data source", () => {
    const { panels } = readDashboard();
    const uids = [...read("deploy/grafana/dashboard.json").matchAll(/"uid": "([^"]+)"/g)].map(
      ([, uid]) => uid,
    );
    expect(new Set(uids)).to.deep.equal(new Set([`\${datasource}`, "identity-signer"]));
    const titles = panels.map(({ title }) => title);
    expect(new Set(titles).size).to.equal(titles.length);
  });

  it("has an expression in every panel that promtool understands", async function () {
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
