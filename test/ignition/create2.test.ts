import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { id, keccak256 } from "ethers";
import hre, { artifacts, network } from "hardhat";
import SignerRegistry from "../../ignition/modules/SignerRegistry.ts";
import { create2Factory, placeCreate2Factory } from "../../tasks/internal/deployment/create2Factory.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { hideLocalNode, serveProxy } from "../fixtures/chain/proxy.ts";
import { ignitionProject } from "../fixtures/ignition/ignition.ts";

const parameters = {
  SignerRegistry: {
    owner: "0x1111111111111111111111111111111111111111",
    signers: ["0x2222222222222222222222222222222222222222"],
  },
};

describe("The CREATE2 strategy", function () {
  this.timeout(300_000);

  /** Deploys the registry to a chain in this process. */
  async function deployTo(chainId: number, changed: { salt?: string; owner?: string; sender?: number } = {}) {
    const { ethers, provider, ignition } = await network.create({
      network: "identityLocal",
      override: { chainId },
    });
    await placeCreate2Factory(provider);
    const sender = (await ethers.getSigners())[changed.sender ?? 0];
    const salt = changed.salt ?? hre.config.ignition.strategyConfig?.create2?.salt ?? "";
    const { registry } = await ignition.deploy(SignerRegistry, {
      parameters: changed.owner
        ? { SignerRegistry: { ...parameters.SignerRegistry, owner: changed.owner } }
        : parameters,
      strategy: "create2",
      strategyConfig: { salt },
      ...(sender ? { defaultSender: sender.address } : {}),
    });
    expect(await registry.getFunction("owner")()).to.equal(changed.owner ?? parameters.SignerRegistry.owner);
    return registry.target;
  }

  it("gives the registry one address on every chain, from any deployer", async () => {
    const address = await deployTo(84532);
    expect(await deployTo(8453)).to.equal(address);
    expect(await deployTo(8453, { sender: 5 })).to.equal(address);
  });

  it("gives the registry another address with another salt or other arguments", async () => {
    const address = await deployTo(84532);
    expect(await deployTo(84532, { salt: id("another salt") })).not.to.equal(address);
    expect(await deployTo(84532, { owner: "0x3333333333333333333333333333333333333333" })).not.to.equal(
      address,
    );
  });

  it("gives the registry its recorded address, whatever machine and folder; UPDATE_CREATE2_ADDRESS=1 records a new one", async () => {
    const { bytecode } = await artifacts.readArtifact("SignerRegistry");
    const found = { parameters, initCodeHash: keccak256(bytecode), address: await deployTo(84532) };
    const file = new URL("../vectors/create2.json", import.meta.url);
    if (process.env.UPDATE_CREATE2_ADDRESS) writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
    expect(found).to.deep.equal(JSON.parse(readFileSync(file, "utf8")));

    const folder = join(hre.config.paths.artifacts, "build-info");
    const buildId = await artifacts.getBuildInfoId("contracts/SignerRegistry.sol:SignerRegistry");
    const input = readFileSync(join(folder, `${buildId}.json`), "utf8");
    expect(input).to.include("project/contracts/SignerRegistry.sol").and.not.include(hre.config.paths.root);
  });

  it("places the CREATE2 factory once", async () => {
    const { provider, ethers } = await network.create("identityLocal");
    await placeCreate2Factory(provider);
    const code = await ethers.provider.getCode(create2Factory);
    // Ignition compares the factory's code with this hash, on any chain.
    expect(ethers.keccak256(code)).to.equal(
      "0xbd8a7ea8cfca7b4e5f5041d7d4b17bc317c5ce42cfbc42066a00cf26b43eb53f",
    );
    const block = await provider.request({ method: "eth_blockNumber" });
    await placeCreate2Factory(provider);
    expect(await provider.request({ method: "eth_blockNumber" })).to.equal(block);
  });

  it("deploys by CREATE2 with hardhat ignition deploy: on a local node the factory is placed, on others it must be there", async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    const { url: liveUrl } = await serveProxy(rpcUrl, hideLocalNode);
    const project = await ignitionProject();
    const refused = await project.deploy("SignerRegistry", {
      rpcUrl: liveUrl,
      parameters,
      strategy: "create2",
    });
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.include("CreateX not deployed on current network 84532");

    const placed = await project.deploy("SignerRegistry", { rpcUrl, parameters, strategy: "create2" });
    expect(placed.code, placed.stderr).to.equal(0);
    const { "SignerRegistry#SignerRegistry": address } = await project.addresses();
    expect(address).to.equal(await deployTo(8453));
    expect(await provider.getCode(address ?? "")).not.to.equal("0x");
  });
});
