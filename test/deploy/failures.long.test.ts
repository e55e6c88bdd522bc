import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { format } from "prettier";
import { read } from "../fixtures/deploy/deployFiles.ts";
import { whenAlertsFire } from "../fixtures/deploy/firing.ts";
import { type Failure, type FragileService, startFragileService } from "../fixtures/deploy/fragileService.ts";
import { needPrometheus } from "../fixtures/deploy/prometheus.ts";
import { root } from "../fixtures/tasks/hardhat.ts";

const page = "docs/operations.md";
const [start, end] = ["<!-- failures -->\n", "<!-- /failures -->"];

/** Milliseconds that a service has to notice what fails, as what nobody has to notice is waited for in vain. */
const notice = 7_000;

/** A failure's signs from outside, for the table. */
interface Row {
  readonly failure: string;
  readonly request: string;
  readonly readyz: string;
  readonly alerts: string;
}

/** Asks until something is so; the test's own timeout ends it. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(100);
}

const isWell = async ({ ask, readyz }: FragileService) =>
  (await ask()) === "200" && (await readyz()).status === 200;

async function observe(failure: string, { service }: Failure): Promise<Row> {
  await until(async () => (await service.ask()) !== "200");
  const since = performance.now();
  await until(async () => (await service.readyz()).status !== 200 || performance.now() - since > notice);
  const request = await service.ask();
  const { status, report } = await service.readyz();
  const failed = Object.entries(report.checks).filter(([, { ok }]) => !ok);
  const scraped = { text: await service.scrape(), at: Date.now() / 1_000 };
  const { IdentityRequestsFail, ...alerts } = Object.fromEntries(
    await whenAlertsFire(scraped, request.split(" ")[1] ?? "issued"),
  );
  // The page says this of all failures at once.
  expect([status, IdentityRequestsFail], failure).to.deep.equal(
    request.startsWith("503") ? [503, 6] : [200, undefined],
  );
  return {
    failure,
    request: `\`${request}\``,
    readyz: failed.map(([name]) => `\`${name}\``).join(", ") || "none",
    alerts:
      Object.entries(alerts)
        .map(([name, minutes]) => `[\`${name}\`](#${name.toLowerCase()}) after ${minutes} min`)
        .join(", ") || "none",
  };
}

/** Joins the rows of failures that look alike. */
function joinAlike(rows: readonly Row[]): Row[] {
  const alike = (one: Row, other: Row) =>
    one.request === other.request && one.readyz === other.readyz && one.alerts === other.alerts;
  const firsts = rows.filter((row, i) => rows.findIndex((other) => alike(row, other)) === i);
  return firsts.map((first) => {
    const [name, ...others] = rows.filter((row) => alike(row, first)).map(({ failure }) => failure);
    const rest = others.map((other) => `${other.charAt(0).toLowerCase()}${other.slice(1)}`);
    return { ...first, failure: [name, ...rest].join(", ") };
  });
}

const toTable = (rows: readonly Row[]): Promise<string> =>
  format(
    [
      "| Failure | Requests get | `/readyz` names | Alert |",
      "| - | - | - | - |",
      ...joinAlike(rows).map(
        ({ failure, request, readyz, alerts }) => `| ${failure} | ${request} | ${readyz} | ${alerts} |`,
      ),
    ].join("\n"),
    { parser: "markdown" },
  );

describe("docs/operations.md", function () {
  this.timeout(400_000);

  it("shows each failure as it is observed, after which the service recovers by itself", async function () {
    needPrometheus(this);
    const rows: Row[] = [];
    for (const [name, failure] of Object.entries(await startFragileService(this))) {
      const { service } = failure;
      await until(() => isWell(service));
      await failure.begin();
      try {
        rows.push(await observe(name, failure));
      } finally {
        await failure.end();
      }
      await until(() => isWell(service));
      expect(service.isRunning(), name).to.equal(true);
      // No failure is one that the service does not know.
      expect(service.log(), name).not.to.include("A request failed.");
    }
    const table = await toTable(rows);
    const text = read(page);
    if (process.env.UPDATE_FAILURES) {
      const [before = "", rest = ""] = text.split(start);
      writeFileSync(join(root, page), `${before}${start}\n${table}\n${end}${rest.split(end)[1] ?? ""}`);
      return;
    }
    expect(text.split(start)[1]?.split(end)[0]?.trim()).to.equal(table.trim());
    expect(rows).to.have.length(12);
  });
});
