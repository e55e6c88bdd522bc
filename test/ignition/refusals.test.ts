import { expect } from "chai";
import { development } from "../../packages/protocol/development.ts";
import { deploy, serveLocalChain } from "../fixtures/chain/localChain.ts";
import { hideLocalNode, serveProxy } from "../fixtures/chain/proxy.ts";
import { ignitionProject } from "../fixtures/ignition/ignition.ts";

const stranger = "0x1111111111111111111111111111111111111111";

describe("hardhat ignition deploy sends nothing", function () {
  this.timeout(300_000);

  async function fixture() {
    const { rpcUrl, provider } = await serveLocalChain();
    const deployer = await provider.getSigner(0);
    return { rpcUrl, project: await ignitionProject(), sent: () => deployer.getNonce(), deployer };
  }

  it("sends no transaction when the template's placeholders are left", async () => {
    const { rpcUrl, project, sent } = await fixture();
    const parameters = "ignition/parameters/base-sepolia.json";
    for (const module of ["SignerRegistry", "Examples"]) {
      const { code, stderr } = await project.deploy(module, { rpcUrl, parameters });
      expect(code).to.equal(1);
      expect(stderr).to.include(
        'SignerRegistry.owner must be an address (0x and 40 hex digits), got "<address',
      );
    }
    expect(await sent()).to.equal(0);
  });

  it("sends no transaction when a module's parameter is missing", async () => {
    const { rpcUrl, project, sent } = await fixture();
    const { code, stderr, stdout } = await project.deploy("Examples", {
      rpcUrl,
      parameters: { SignerRegistry: { owner: stranger } },
    });
    expect(code).to.equal(1);
    expect(stdout + stderr).to.include("parameter 'signers' requires a value");
    expect(await sent()).to.equal(0);
  });

  it("sends no transaction when there is no registry where an example would ask it", async () => {
    const { rpcUrl, project, sent, deployer } = await fixture();
    const executor = await (await deploy(deployer, "BatchExecutor")).getAddress();
    for (const [registry, problem] of [
      [stranger, `There is no contract at ${stranger} on this chain.`],
      // It takes every call in silence, and would admit everybody.
      [executor, `The contract ${executor} is not a SignerRegistry.`],
    ] as const) {
      const { code, stderr } = await project.deploy("Ballot", {
        rpcUrl,
        parameters: { Ballot: { registry } },
      });
      expect(code).to.equal(1);
      expect(stderr).to.include(`Ballot.registry must be a registry. ${problem} Nothing was sent.`);
    }
    expect(await sent()).to.equal(1);
  });

  it("sends no transaction when a development address would own or sign on a public chain", async () => {
    const { rpcUrl, project, sent, deployer } = await fixture();
    const { url: liveUrl } = await serveProxy(rpcUrl, hideLocalNode);
    const own = await project.deploy("SignerRegistry", {
      rpcUrl: liveUrl,
      parameters: { SignerRegistry: { owner: deployer.address, signers: [] } },
    });
    expect(own.code).to.equal(1);
    expect(own.stderr).to.include(`SignerRegistry.owner is ${deployer.address}, a development address`);
    const sign = await project.deploy("Examples", {
      rpcUrl: liveUrl,
      parameters: { SignerRegistry: { owner: stranger, signers: [development.signer] } },
    });
    expect(sign.code).to.equal(1);
    expect(sign.stderr).to.include(`SignerRegistry.signers is ${development.signer}, a development address`);
    expect(await sent()).to.equal(0);

    const others = await project.deploy("SignerRegistry", {
      rpcUrl: liveUrl,
      parameters: { SignerRegistry: { owner: stranger, signers: [] } },
    });
    expect(others.code, others.stderr).to.equal(0);
    expect(await sent()).to.equal(1);
  });

  it("sends no transaction when a guarded registry's owner is the deploying account", async () => {
    const { rpcUrl, project, sent, deployer } = await fixture();
    const guardians = { watcher: stranger, guardian1: stranger, guardian2: stranger };
    for (const owner of [deployer.address, deployer.address.toLowerCase()]) {
      const { code, stderr } = await project.deploy("GuardedRegistry", {
        rpcUrl,
        parameters: { GuardedRegistry: { owner, signers: [], ...guardians } },
      });
      expect(code).to.equal(1);
      expect(stderr).to.include(
        `GuardedRegistry.owner is ${deployer.address}, the account that deploys: it gives up`,
      );
      expect(stderr).to.include("Nothing was sent.");
    }
    expect(await sent()).to.equal(0);
  });
});
