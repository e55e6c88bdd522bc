import { expect } from "chai";
import { Wallet } from "ethers";
import { development } from "../../../protocol/development.ts";
import { deployGuardedRegistry } from "../../fixtures/chain/guardedRegistry.ts";
import { serveLocalChain } from "../../fixtures/chain/localChain.ts";
import { findFreePort } from "../../fixtures/freePort.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { runIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";

describe("identity-signer signers list", () => {
  it("lists the registry's signers with their dates, and marks the service's own", async () => {
    const stack = await startStack();
    const { address } = Wallet.createRandom();
    await (await stack.registryContract.getFunction("addSigner")(address)).wait();
    const env = { IDENTITY_RPC_URL: stack.rpcUrl, IDENTITY_REGISTRY: stack.registry };
    const { code, stdout, output } = await runIdentitySigner(
      ["signers", "list", "--service", stack.url, "--json"],
      env,
    );
    expect(code, output).to.equal(0);
    const { registry, signers, service } = JSON.parse(stdout);
    expect([registry, service.signer]).to.deep.equal([stack.registry, development.signer]);
    const latest = await stack.provider.getBlockNumber();
    expect(signers.map(({ sinceBlock, ...rest }: { sinceBlock: number }) => rest)).to.deep.equal([
      { signer: development.signer, signs: true },
      { signer: address, signs: false },
    ]);
    expect(signers[1].sinceBlock).to.equal(latest);

    const { IDENTITY_REGISTRY, ...chain } = env;
    const named = await runIdentitySigner(["signers", "list", "--registry", IDENTITY_REGISTRY], chain);
    expect(named.stdout).to.include(`Signer    ${address} since block ${latest}\n`);
  });

  it("lists who may change the allowlist of a registry with guardians", async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    const [deployer, admin, guardian] = await Promise.all([0, 1, 2].map((i) => provider.getSigner(i)));
    if (!deployer || !admin || !guardian) throw new Error("The node has too few accounts.");
    const roles = { admin: admin.address, guardian: guardian.address };
    const { manager, registry } = await deployGuardedRegistry(deployer, roles);
    const env = { IDENTITY_RPC_URL: rpcUrl, IDENTITY_REGISTRY: String(registry.target) };
    const { code, stdout } = await runIdentitySigner(["signers", "list"], env);
    expect(code).to.equal(0);
    expect(stdout)
      .to.include(`Owner        ${manager.target}, an AccessManager\n`)
      .and.include(`May add      ${admin.address}, 24 h after scheduling it\n`)
      .and.include(`May remove   ${guardian.address}, at once\n`);
  });

  it("reports in a sentence why it cannot list them", async () => {
    const { registry, rpcUrl } = await startStack();
    const nowhere = `http://127.0.0.1:${await findFreePort()}`;
    const env = { IDENTITY_REGISTRY: registry, IDENTITY_RPC_URL: rpcUrl };
    for (const [args, changed, word] of [
      [["list"], { IDENTITY_REGISTRY: "" }, "IDENTITY_REGISTRY is not set"],
      [["list"], { IDENTITY_RPC_URL: `${nowhere}/secret` }, "The node cannot be reached (ECONNREFUSED)"],
      [["list"], { IDENTITY_REGISTRY: development.signer }, "no contract"],
      [["list", "--service", nowhere], {}, `The service ${nowhere} did not report its signers`],
      [["add"], {}, "its owner's key"],
    ] as const) {
      const { code, output } = await runIdentitySigner(["signers", ...args], { ...env, ...changed });
      expect([code, output.includes(word)], output).to.deep.equal([1, true]);
      expect(output).not.to.include("secret").and.not.include("    at ");
    }
  });
});
