import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";
import { listMissing, packages } from "../../bench/cluster/programs.ts";
import type { ScenarioReport } from "../../bench/report/report.ts";
import { skip } from "../fixtures/skip.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";

/** Machines are noisy: how quickly it is back is measured by hand. */
const unhurried = ["--grace", "60"];

function run(args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const program = [join(root, "bench/service.ts"), "failover", ...args, ...unhurried, "--json"];
  const env = cleanEnvironment({ CONTRACTS_ARE_BUILT: "true" });
  return new Promise((resolve) => {
    execFile(process.execPath, program, { cwd: root, env }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
}

describe("A replicated service", () => {
  before(function () {
    const missing = listMissing();
    if (missing.length > 0) {
      skip(this, `There is no ${missing.join(", no ")}`, `apt-get install ${packages.join(" ")}`);
    }
  });

  it("loses nothing and answers nothing wrong when its database's primary is killed", async () => {
    const { stdout, stderr } = await run("--kills 1 --wallets 64".split(" "));
    expect(stdout, stderr).to.match(/^\{/);
    const { targets, rows }: ScenarioReport = JSON.parse(stdout);
    expect(
      targets.map(({ met }) => met),
      stderr + JSON.stringify(targets),
    ).not.to.include(false);
    expect(targets).to.have.length(4);
    for (const { values } of rows) {
      expect(values.issued, stderr).to.be.above(0);
      expect(values.written, stderr).to.be.above(0);
    }
  }).timeout(400_000);
});
