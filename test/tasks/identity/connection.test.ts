import { expect } from "chai";
import { recoverAddress } from "ethers";
import { artifacts, network } from "hardhat";
import { attackCompiled } from "../../../packages/attack/internal/attack.ts";
import { deployStack } from "../../../packages/dev/internal/deploy.ts";
import { registryAbi } from "../../../tasks/internal/consumer/registryAbi.ts";
import { openIdentity } from "../../../tasks/internal/testing/connectionIdentity.ts";
import { connectWith } from "../../fixtures/packages/toolboxes.ts";
import { rejection } from "../../fixtures/rejection.ts";

describe("connection.identity", () => {
  it("has the registry's ABI in its source exactly as the compiler writes it", async () => {
    const { abi } = await artifacts.readArtifact("SignerRegistry");
    expect(registryAbi, "run scripts/write-compiled.ts").to.deep.equal(abi);
  });

  it("signs as the development signer", async () => {
    const { identity } = (await connectWith("ethers")).connection;
    const digest = `0x${"12".repeat(32)}` as const;
    expect(recoverAddress(digest, await identity.signer.sign(digest))).to.equal(identity.signer.address);
  });

  it("deploys a registry that the development signer may sign for, in a project without a toolbox, too", async () => {
    const { connection } = await connectWith("viem");
    const registry = await openIdentity(connection.provider).identity.deployRegistry();
    const node = await connection.viem.getPublicClient();
    expect(await node.readContract({ ...registry, functionName: "signers" })).to.deep.equal([
      connection.identity.signer.address,
    ]);
  });

  it("names the hardfork if the chain's is before Cancun, in a test, for attacks and for the stack", async () => {
    const words =
      /^This chain runs a hardfork before Cancun, and the registry needs Cancun or later\. .* leave hardfork out, or set "cancun"/;
    for (const settings of [
      { chainType: "l1", hardfork: "shanghai" },
      { chainType: "l1", hardfork: "london" },
      { chainType: "op", hardfork: "canyon" },
    ] as const) {
      const { provider, identity } = await network.create({
        network: "identityLocal",
        chainType: settings.chainType,
        override: { hardfork: settings.hardfork },
      });
      const { abi, bytecode } = await artifacts.readArtifact("IncentiveProgram");
      const contract = { contractName: "IncentiveProgram", abi, bytecode };
      const registry = { owner: `0x${"11".repeat(20)}`, signers: [] };
      for (const run of [
        () => identity.deployRegistry(),
        () => attackCompiled(provider, contract, {}, { openWallet: async () => ({}) as never }),
        () => deployStack(provider, registry, undefined),
      ]) {
        expect((await rejection(run())).message).to.match(words);
      }
    }
    const { identity } = await network.create({
      network: "identityLocal",
      chainType: "l1",
      override: { hardfork: "cancun" },
    });
    expect(await identity.deployRegistry()).to.have.property("address");
  });

  it("deploys a registry for the given owner and signers, and names what is not an address", async () => {
    const { identity, ethers } = (await connectWith("ethers")).connection;
    const [, owner, signer] = await ethers.getSigners();
    if (!owner || !signer) throw new Error("The node has too few accounts.");
    const { abi, address, target } = await identity.deployRegistry({ owner, signers: [signer] });
    const contract = await ethers.getContractAt([...abi], address);
    expect(await contract.getFunction("owner")()).to.equal(owner.address);
    expect([...(await contract.getFunction("signers")())]).to.deep.equal([signer.address]);
    expect([address, target]).to.deep.equal([contract.target, contract.target]);
    expect(
      (await rejection(identity.deployRegistry({ signers: [signer.address, "0x12"] }))).message,
    ).to.equal('signers[1] must be an address (0x and 40 hex digits), got "0x12".');
  });
});
