import { expect } from "chai";
import { type Addressable, type Contract, id, toBeHex, toQuantity, zeroPadValue } from "ethers";
import { inspectPolicy } from "../../tasks/internal/consumer/policy.ts";
import { l1Block } from "../../tasks/internal/lint/probe.ts";
import { deploy, serveChainWithRegistry } from "../fixtures/chain/localChain.ts";
import { type Behaviour, serveProxy } from "../fixtures/chain/proxy.ts";
import { lintProject } from "../fixtures/tasks/lintProject.ts";

describe("identity policy, with a consumer", () => {
  it("shows in a line the error of a node that limits requests or is down", async () => {
    const { lint } = await lintProject();
    const { rpcUrl, deployer, registry } = await serveChainWithRegistry();
    const consumer = await (await deploy(deployer, "IncentiveProgram", [registry])).getAddress();
    const error = { code: -32016, message: "over rate limit" };
    const behaviours: [Behaviour, RegExp][] = [
      [{ instead: () => ({ error }) }, /over rate limit \(-32016\)/],
      [{ instead: () => ({ error: { ...error, data: "0x12" } }) }, /over rate limit \(-32016\)/],
      [{ instead: () => ({ error: { ...error, data: { message: "a\u001b[2K" } } }) }, /a\\u001b\[2K \(/],
      [
        { instead: ({ method }) => (method === "eth_call" ? { error } : undefined) },
        /The node failed to answer eth_call: over rate limit \(-32016\)/,
      ],
      [
        { instead: ({ params }) => (Object(params?.[0]).to === l1Block ? { error } : undefined) },
        /over rate limit \(-32016\)/,
      ],
      [{ respond: (response) => void response.writeHead(502).end("<html>") }, /502/],
    ];
    for (const [behaviour, said] of behaviours) {
      const { url } = await serveProxy(rpcUrl, behaviour);
      const result = await lint(["--network", "far", "--consumer", consumer], { farUrl: url });
      expect(result.code, result.stderr).to.equal(1);
      expect(result.stderr).to.match(said);
      expect(result.stderr, "one line").to.match(/^.+\n$/);
    }
  });

  it("reports what a deployed contract's code shows, and names a proxy's implementation", async () => {
    const { lint } = await lintProject();
    const { rpcUrl, provider, deployer, registry } = await serveChainWithRegistry();
    const conditions = [{ name: "followers", op: "gt", value: "1_000" }];
    const chosen = await deploy(deployer, "ChosenConsumer", [registry, "microblog", conditions]);
    await (await (chosen as Contract).getFunction("setCutoffBlock")(5_000_000)).wait();
    const fickle = await deploy(deployer, "FickleConsumer");
    const good = await deploy(deployer, "IncentiveProgram", [registry]);
    // A proxy reads from storage where its code is: that is no policy in storage.
    const proxy = `0x${"70".repeat(20)}`;
    const proxyCode = "0x363d3d373d3d3d363d3d545af43d82803e903d91601857fd5bf3";
    await provider.send("hardhat_setCode", [proxy, proxyCode]);
    await provider.send("hardhat_setStorageAt", [proxy, "0x0", zeroPadValue(await good.getAddress(), 32)]);
    const check = async (consumer: Addressable | string) => {
      const address = typeof consumer === "string" ? consumer : await consumer.getAddress();
      const args = ["--network", "far", "--strict", "--json", "--consumer", address];
      const { code, stdout } = await lint(args, { farUrl: rpcUrl });
      const { findings, problem, ...rest } = JSON.parse(stdout);
      if (consumer === chosen) {
        const policyHash = await registry.getFunction("policyHash")(address);
        expect(rest).to.deep.equal({ provider: "microblog", conditions, cutoffBlock: "5000000", policyHash });
      }
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
    // Two whose provider is another for 0x12, by tx.origin or msg.sender, and which have the rest from the good one.
    const [byOrigin, bySender] = [`0x${"72".repeat(20)}`, `0x${"73".repeat(20)}`];
    const rest = `363d3d373d3d3d363d73${(await good.getAddress()).slice(2)}5af43d82803e903d91603a57fd5bf3`;
    const provide = (opcode: string) =>
      `5b6020600052${opcode}601214600903602052686d6963726f626c6f6760b81b60405260606000f3`;
    const isProvider = `60003560e01c63${id("provider()").slice(2, 10)}14603c57`;
    for (const [consumer, opcode] of [
      [byOrigin, "32"],
      [bySender, "33"],
    ] as const) {
      await provider.send("hardhat_setCode", [consumer, `0x${isProvider}${rest}${provide(opcode)}`]);
      expect((await check(consumer)).rules).to.deep.equal(["policy-not-constant"]);
    }
    for (const consumer of [good, proxy]) {
      expect(await check(consumer)).to.deep.equal({ code: 0, problem: undefined, rules: [] });
    }

    const show = async (consumer: string, ...more: string[]) =>
      (await lint(["--network", "far", "--consumer", consumer, ...more], { farUrl: rpcUrl })).stdout;
    expect(await show(byOrigin)).to.include("provider() reads tx.origin, and its answer differs for another");
    expect(await show(bySender)).to.include(
      "provider() reads msg.sender, and its answer differs for another",
    );
    expect(await show(split)).to.include("provider() reads its caller, and its answer differs for another");
    const shown = await show(await chosen.getAddress());
    expect(shown)
      .to.match(/^Cutoff block {2}5000000$/m)
      .and.include(`Problem       ${message} (unsupported-value)\n`);
    expect(shown).to.match(/^Warning {7}provider\(\) reads storage: .+ \(policy-in-storage\)$/m);
    for (const what of ["beacon", "implementation"]) {
      const slot = toBeHex(BigInt(id(`eip1967.proxy.${what}`)) - 1n, 32);
      const target = await good.getAddress();
      await provider.send("hardhat_setStorageAt", [proxy, slot, zeroPadValue(target, 32)]);
      expect(JSON.parse(await show(proxy, "--json"))).to.have.property(what, target);
      expect(await show(proxy)).to.match(
        new RegExp(
          `^Proxy +runs the ${what} ${target}; anyone who can replace it can change the policy$`,
          "m",
        ),
      );
    }
    // Some nodes answer an empty slot with fewer digits.
    for (const word of ["0x", "0x0"]) {
      const node = {
        request: async ({ method, params = [] }: { method: string; params?: unknown }) =>
          method === "eth_getStorageAt" ? word : provider.send(method, params as unknown[]),
      };
      expect(await inspectPolicy(node, await good.getAddress())).to.include({ runs: undefined });
    }
  });
});
