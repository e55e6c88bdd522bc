import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";
import type { ScenarioReport } from "../../bench/report/report.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";

/** Runs the bench to its end, whatever it says of what it found. */
function bench(args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const program = [join(root, "bench/service.ts"), ...args];
  const env = cleanEnvironment({ CONTRACTS_ARE_BUILT: "true" });
  return new Promise((resolve) => {
    execFile(process.execPath, program, { cwd: root, env, timeout: 120_000 }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
}

describe("npm run bench", () => {
  it("measures the service beside what people would write themselves, and checks every answer", async () => {
    const { rpcUrl } = await serveLocalChain();
    const short = [
      "--seconds",
      "0.3",
      "--warm-up",
      "0.1",
      "--rounds",
      "1",
      "--wallets",
      "8",
      "--connections",
      "1,16",
    ];
    const { stdout, stderr } = await bench([...short, "--rpc-url", rpcUrl, "--json"]);
    expect(stdout, stderr).to.match(/^\{/);
    const compare: ScenarioReport = JSON.parse(stdout);
    const rows = [
      "Express + viem",
      "Express with the cryptography, and nothing else",
      "node:http with the cryptography, and nothing else",
      "hardhat-identity",
      "hardhat-identity without its trail",
    ];
    expect(compare.rows.map(({ name }) => name)).to.deep.equal([1, 16].flatMap(() => rows));
    const keys = compare.columns.map(({ key }) => key);
    for (const { name, values } of compare.rows) {
      expect(Object.keys(values), name).to.have.members(keys);
      const { cpuMicroseconds, ...others } = values;
      for (const [key, value] of Object.entries(others))
        expect(value, `${name}: ${key}`).to.be.a("number").above(0);
      expect(cpuMicroseconds, name).to.be.a("number").at.least(0);
    }
    // The system counts CPU time in hundredths of a second, and one server may have taken less.
    expect(compare.rows.some(({ values }) => (values.cpuMicroseconds ?? 0) > 0)).to.equal(true);
    expect(compare.targets.map(({ promise }) => promise)).to.deep.equal([
      "16 connections: at least 8 times Express + viem",
      "16 connections: at least 0.75 times Express with the cryptography, and nothing else",
      "16 connections: at least 0.9 times itself without its trail",
      "16 connections: CPU per request under 300 µs",
      "16 connections: p99 at most 15 ms",
      "16 connections: p99 at half load not above Express + viem's",
      "1 connection: at most 1.5 times the CPU of 16",
    ]);
    // The median, and the range of the rounds' ratios.
    expect(compare.targets[0]?.got).to.match(/^[\d.]+ times \([\d.]+ to [\d.]+\)$/);
    expect(compare.notes.join(" ")).to.match(/code for signatures is (native|portable)\..*/);
    expect(compare.notes.join(" ")).to.match(/Express \d+\.\d+.*, viem \d+\.\d+/);
    expect(compare.commit).to.match(/^[0-9a-f]{10}\+?$|^unknown$/);
    expect(compare.machine.node).to.equal(process.versions.node);
  });

  it("says what can be measured, and what is not understood", async () => {
    expect((await bench(["--help"])).stdout).to.match(/^npm run bench -- \[scenario\]/);
    const { stdout, stderr } = await bench(["everything"]);
    expect(stdout).to.equal("");
    expect(stderr).to.match(/There is no scenario "everything"/);
    expect((await bench(["--kills", "many"])).stderr).to.include("--kills takes a number above 0, not many.");
  });
});
