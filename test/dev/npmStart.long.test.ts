import { expect } from "chai";
import { startProcess } from "../fixtures/process.ts";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";

const npmStart = (...args: readonly string[]) =>
  startProcess("npm", ["start", "--silent", "--", ...args], {
    cwd: root,
    env: cleanEnvironment(),
    detached: true,
  });

describe("npm start", function () {
  this.timeout(120_000);

  it("starts the whole stack with the arguments of identity dev, and ends when it is told to", async () => {
    const stack = npmStart("--json", "--rpc-port", "0", "--port", "0", "--demo-port", "0");
    const { signerUrl, chainId } = JSON.parse(await stack.waitFor(/^\{"rpcUrl".*\}$/m));
    expect(chainId).to.equal(84532);
    expect((await fetch(`${signerUrl}/readyz`)).status).to.equal(200);
    await stack.stop("SIGTERM");
  });

  it("lists its arguments, and names an unknown one", async () => {
    const help = npmStart("--help");
    expect(await help.waitForEnd()).to.equal(0);
    expect(help.output())
      .to.include("Usage: npm start -- ")
      .and.include("[--rpc-port <value>]")
      .and.not.include("STRING_WITHOUT_DEFAULT");
    const refused = npmStart("--rpc-prt", "0");
    expect(await refused.waitForEnd()).to.equal(1);
    expect(refused.output()).to.include("--rpc-prt").and.include("Did you mean --rpc-port?");
  });
});
