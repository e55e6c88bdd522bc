import { expect } from "chai";
import { type Addressable, type Contract, toQuantity, zeroPadValue } from "ethers";
import { deploy, serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { lintProject } from "../fixtures/tasks/lintProject.ts";

describe("identity policy, with a consumer", () => {
  it("finds what the code of a deployed contract shows", async () => {
    const { lint } = await lintProject();
    const { rpcUrl, provider, deployer, registry } = await serveChainWithRegistry();
    const conditions = [{ name: "followers", op: "gt", value: "1_000" }];
    const chosen = await deploy(deployer, "ChosenConsumer", [registry, "microblog", conditions]);
    await (await (chosen as Contract).getFunction("setCutoffBlock")(50_000)).wait();
    const fickle = await deploy(deployer, "FickleConsumer");
    const good = await deploy(deployer, "IncentiveProgram", [registry]);
    // A proxy reads from storage where its code is: that is no policy in storage.
    const proxy = `0x${"70".repeat(20)}`;
    const proxyCode = "0x363d3d373d3d3d363d3d545af43d82803e903d91601857fd5bf3";
    await provider.send("hardhat_setCode", [proxy, proxyCode]);
    await provider.send("hardhat_setStorageAt", [proxy, "0x0", zeroPadValue(await good.getAddress(), 32)]);
    const check = async (consumer: Addressable | string) => {
      const address = typeof consumer === "string" ? consumer : await consumer.getAddress();
      const args = ["--network", "far", "--json", "--consumer", address];
      const { code, stdout } = await lint(args, { farUrl: rpcUrl });
      const { findings, problem } = JSON.parse(stdout);
      return { code, problem, rules: findings.map(({ rule }: { rule: string }) => rule) };
    };
    const message =
      'Condition followers needs a decimal integer without leading zeros as its value, not "1_000".';
    expect(await check(chosen)).to.deep.equal({
      code: 1,
      problem: message,
      rules: ["unsupported-value", "cutoff-beyond-head", "policy-in-storage", "policy-in-storage"],
    });
    expect(await check(fickle)).to.deep.equal({
      code: 1,
      problem: undefined,
      rules: ["policy-not-constant"],
    });
    // One that runs the one contract for half of its callers, and the other for the rest.
    const other = await deploy(deployer, "MembershipPass", [registry]);
    const split = `0x${"71".repeat(20)}`;
    await provider.send("hardhat_setCode", [
      split,
      "0x363d3d373d3d3d363d33600116545af43d82803e903d91601b57fd5bf3",
    ]);
    for (const [slot, target] of [good, other].entries()) {
      const value = zeroPadValue(await target.getAddress(), 32);
      await provider.send("hardhat_setStorageAt", [split, toQuantity(slot), value]);
    }
    expect(await check(split)).to.deep.equal({
      code: 1,
      problem: undefined,
      rules: ["policy-not-constant", "policy-not-constant"],
    });
    for (const consumer of [good, proxy]) {
      expect(await check(consumer)).to.deep.equal({ code: 0, problem: undefined, rules: [] });
    }
  });
});
