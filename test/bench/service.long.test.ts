import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";
import type { Report } from "../../bench/report/report.ts";
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
      "4",
    ];
    const { stdout, stderr } = await bench([...short, "--source", "--rpc-url", rpcUrl, "--json"]);
    expect(stdout, stderr).to.match(/^\{/);
    const { compare }: Report = JSON.parse(stdout);
    expect(compare?.rows.map(({ name }) => name)).to.deep.equal([
      "(a) Express + viem",
      "(b) Express + ethers + siwe",
      "(c) bare floor",
      "(d) this service",
    ]);
    for (const { name, values } of compare?.rows ?? []) {
      expect(Object.keys(values), name).to.have.members(compare?.columns.map(({ key }) => key) ?? []);
      for (const value of Object.values(values)) expect(value, name).to.be.a("number").above(0);
    }
    expect(compare?.targets.map(({ promise }) => promise)).to.deep.equal([
      "At least 10 times (a)",
      "At least 0.65 times (c)",
      "CPU per request under 300 µs",
      "p99 at half load not above (a)'s p50",
    ]);
    expect(compare?.machine.node).to.equal(process.versions.node);
  });

  it("says what can be measured, and what is not understood", async () => {
    expect((await bench(["--help"])).stdout).to.match(/^npm run bench -- \[scenario\]/);
    const { stdout, stderr } = await bench(["everything"]);
    expect(stdout).to.equal("");
    expect(stderr).to.match(/There is no scenario "everything"/);
  });
});
