import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";
import { listMissing, packages } from "../../bench/cluster/programs.ts";
import type { ScenarioReport } from "../../bench/report/report.ts";
import { skip } from "../fixtures/skip.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";

/** Machines are noisy: how quickly it is back is measured by hand. */
const unhurried = ["--grace", "60"];

function run(scenario: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const program = [join(root, "bench/service.ts"), scenario, ...args, ...unhurried, "--json"];
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

  const trials = {
    "loses nothing and answers nothing wrong when its database's primary is killed": [
      "failover",
      ["--kills", "1"],
    ],
    "does so when one part after the other fails": ["chaos", ["--seconds", "1"]],
  } as const;
  for (const [name, [scenario, args]] of Object.entries(trials)) {
    it(name, async () => {
      const { stdout, stderr } = await run(scenario, [
        ...args,
        "--readers",
        "4",
        "--writers",
        "2",
        "--wallets",
        "64",
      ]);
      expect(stdout, stderr).to.match(/^\{/);
      const { targets, rows }: ScenarioReport = JSON.parse(stdout)[scenario];
      expect(
        targets.map(({ met }) => met),
        stderr + JSON.stringify(targets),
      ).not.to.include(false);
      expect(targets.length).to.be.at.least(5);
      for (const { values } of rows) {
        expect(values.issued, stderr).to.be.above(0);
        expect(values.refused, stderr).to.be.above(0);
        expect(values.written, stderr).to.be.above(0);
      }
    }).timeout(400_000);
  }
});
