import { expect } from "chai";
import { network } from "hardhat";
import { openIdentity } from "../../../tasks/internal/testing/connectionIdentity.ts";
import { changeNode } from "../../fixtures/chain/changeNode.ts";
import { deploy, serveChainWithRegistry } from "../../fixtures/chain/localChain.ts";
import { serveProxy } from "../../fixtures/chain/proxy.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { rejection } from "../../fixtures/rejection.ts";

const nobody = `0x${"de".repeat(20)}`;

describe("identity.trust", () => {
  it("works where blocks are not mined by themselves, and leaves a test's own impersonation of the owner", async () => {
    const connection = await network.create({ network: "identityLocal" });
    onCleanup(connection.close);
    const { identity, provider } = connection;
    const owner = "0x00000000000000000000000000000000000000AA";
    await provider.request({ method: "hardhat_setBalance", params: [owner, "0xde0b6b3a7640000"] });
    await provider.request({ method: "hardhat_impersonateAccount", params: [owner] });
    await provider.request({ method: "evm_setAutomine", params: [false] });
    const registry = await identity.deployRegistry({ owner, signers: [] });
    await identity.trust(registry);
    await provider.request({ method: "eth_sendTransaction", params: [{ from: owner, to: owner }] });
  });

  it("makes a registry on a fork accept minted verifications, although its owner has no ether", async () => {
    const { rpcUrl, deployer, registry: original } = await serveChainWithRegistry();
    const program = await deploy(deployer, "IncentiveProgram", [original.target]);
    await (await original.getFunction("removeSigner")((await original.getFunction("signers")())[0])).wait();
    await (await original.getFunction("transferOwnership")(nobody)).wait();
    await deployer.provider.send("hardhat_impersonateAccount", [nobody]);
    await deployer.provider.send("hardhat_setBalance", [nobody, "0xde0b6b3a7640000"]);
    const data = original.interface.encodeFunctionData("acceptOwnership");
    await deployer.provider.send("eth_sendTransaction", [{ from: nobody, to: original.target, data }]);
    await deployer.provider.send("hardhat_setBalance", [nobody, "0x0"]);

    const { ethers, identity } = await network.create({
      network: "identityLocal",
      // Through a proxy, which closes the connections that a fork keeps for a minute and a half.
      override: { forking: { url: (await serveProxy(rpcUrl)).url } },
    });
    const [, phone] = await ethers.getSigners();
    if (!phone) throw new Error("The node has too few accounts.");
    const { args: _, ...minted } = await identity.mint({ consumer: program, user: phone, identity: "alice" });
    const use = { ...minted, consumer: program, user: phone };
    expect((await identity.check(use)).valid).to.equal(false);
    await identity.trust(original);
    expect(await identity.check(use)).to.deep.equal({ valid: true });
    expect(await ethers.provider.getBalance(nobody)).to.equal(0n);
    const asOwner = ethers.provider.send("eth_sendTransaction", [{ from: nobody, to: nobody }]);
    expect((await rejection(asOwner)).message).to.match(/unknown account/i);
    // Once more, where nothing is left to do.
    await identity.trust(original);
  });

  it("leaves an owner who has ether as much as before", async () => {
    const { ethers, identity } = await network.create("identityLocal");
    const [, owner] = await ethers.getSigners();
    if (!owner) throw new Error("The node has too few accounts.");
    const registry = await identity.deployRegistry({ owner, signers: [nobody] });
    const before = await ethers.provider.getBalance(owner);
    await identity.trust(registry);
    const contract = await ethers.getContractAt([...registry.abi], registry.address);
    expect(await contract.getFunction("isSigner")(identity.signer.address)).to.equal(true);
    expect(await ethers.provider.getBalance(owner)).to.equal(before);
  });

  it("refuses a chain that is not a local node, and a contract that is not a registry", async () => {
    const { ethers, identity, provider } = await network.create("identityLocal");
    const registry = await identity.deployRegistry();
    const program = await ethers.deployContract("IncentiveProgram", [registry]);
    expect((await rejection(identity.trust(program))).message).to.equal(
      `${program.target} is not a SignerRegistry on this chain: it does not answer isSigner(). Name the registry, not a consumer.`,
    );
    const foreign = changeNode(provider, ({ method }) =>
      method === "hardhat_metadata" ? { error: { code: -32_601, message: "unknown" } } : undefined,
    );
    const { identity: abroad } = openIdentity(foreign);
    expect((await rejection(abroad.trust(registry))).message).to.equal(
      "This chain is not a local node, so nobody can send transactions as the registry's owner; fork it: " +
        "forking: { url } in the network's configuration.",
    );
    // Nor do the public keys of development sign anything there.
    const asked = { consumer: program, user: nobody, identity: "alice" };
    expect((await rejection(abroad.mint(asked))).message).to.equal(
      "This chain is not a local node, and the development key is public, so it mints nothing here. Give the key of a " +
        "signer that the registry trusts: `npx hardhat identity mint --key NAME`, after `npx hardhat keystore set NAME`; in a test, `signingKey`.",
    );
    await abroad.mint({ ...asked, signingKey: `0x${"12".repeat(32)}` });
    expect((await rejection(abroad.startService({ registry, credentials: {} }))).message).to.equal(
      "A test's service runs with public development secrets, and this chain is not a local node; `identity-signer` runs the service with your own secrets.",
    );
  });
});
