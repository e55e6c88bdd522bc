import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";
import type { ScenarioReport } from "../../bench/report/report.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";

/** Runs a scenario of bench/ in little time, to its end, whatever it says of what it found. */
async function run(scenario: string, ...args: string[]): Promise<ScenarioReport> {
  const { rpcUrl } = await serveLocalChain();
  const all = [join(root, "bench/service.ts"), scenario, ...args, "--rpc-url", rpcUrl, "--json"];
  return await new Promise((resolve, reject) => {
    execFile(process.execPath, all, { cwd: root, env: cleanEnvironment() }, (_error, stdout, stderr) => {
      if (stdout.startsWith("{")) resolve(JSON.parse(stdout)[scenario]);
      else reject(new Error(stderr));
    });
  });
}

function expectNumbers({ rows }: ScenarioReport, columns: readonly string[]): void {
  for (const { name, values } of rows) {
    for (const key of columns) expect(values[key], `${name}: ${key}`).to.be.a("number").above(0);
  }
}

describe("The scenarios that take long", function () {
  this.timeout(600_000);

  it("asks for many consumers again and again, and looks what the service takes", async () => {
    const report = await run("soak", "--minutes", "0.2", "--consumers", "40");
    expect(report.rows.map(({ name }) => name)).to.deep.equal(["First third", "Second third", "Last third"]);
    expectNumbers(
      report,
      process.platform === "linux" ? ["resident", "heap", "sockets", "files"] : ["resident", "heap"],
    );
    expect(report.targets).to.have.length(5);
  });

  it("says what it does not understand", async () => {
    const refusal = await run("soak", "--consumers", "many").catch((error: Error) => error.message);
    expect(refusal).to.include("--consumers takes a number above 0, not many.");
  });
});
