import { expect } from "chai";
import { Contract } from "ethers";
import { artifacts } from "hardhat";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { ignitionProject } from "../fixtures/ignition/ignition.ts";

const owner = "0x1111111111111111111111111111111111111111";
const signers = ["0x2222222222222222222222222222222222222222", "0x3333333333333333333333333333333333333333"];
const parameters = { SignerRegistry: { owner, signers } };

describe("hardhat ignition deploy", function () {
  this.timeout(300_000);

  async function fixture() {
    const { rpcUrl, provider } = await serveLocalChain();
    const project = await ignitionProject();
    const deployer = await provider.getSigner(0);
    return { rpcUrl, provider, project, sent: () => deployer.getNonce() };
  }

  async function contractAt(name: string, address: string | undefined, provider: unknown) {
    const { abi } = await artifacts.readArtifact(name);
    return new Contract(address ?? "", abi, provider as never);
  }

  it("deploys the registry once, and an example at it", async () => {
    const { rpcUrl, provider, project, sent } = await fixture();
    const first = await project.deploy("SignerRegistry", { rpcUrl, parameters });
    expect(first.code, first.stderr).to.equal(0);
    const { "SignerRegistry#SignerRegistry": address } = await project.addresses();
    const registry = await contractAt("SignerRegistry", address, provider);
    expect(await registry.getFunction("owner")()).to.equal(owner);
    expect([...(await registry.getFunction("signers")())]).to.deep.equal(signers);
    expect(await sent()).to.equal(1);

    const again = await project.deploy("SignerRegistry", { rpcUrl, parameters });
    expect(again.code, again.stderr).to.equal(0);
    expect(await sent()).to.equal(1);

    const example = { IncentiveProgram: { registry: address } };
    expect((await project.deploy("IncentiveProgram", { rpcUrl, parameters: example })).code).to.equal(0);
    const { "IncentiveProgram#IncentiveProgram": program } = await project.addresses();
    const consumer = await contractAt("IncentiveProgram", program, provider);
    expect(await consumer.getFunction("registry")()).to.equal(address);
    expect(await sent()).to.equal(2);
  });

  it("deploys the registry and every example from scratch, killed in between or not", async () => {
    const { rpcUrl, provider, project, sent } = await fixture();
    await provider.send("evm_setAutomine", [false]);
    let waits: (() => void) | undefined;
    const waiting = new Promise<void>((done) => {
      waits = done;
    });
    const proxy = await serveProxy(rpcUrl, {
      answer: (method) => {
        // Asked when the first transaction has been sent.
        if (method === "eth_getTransactionReceipt") waits?.();
      },
    });
    const killed = project.start("Examples", { rpcUrl: proxy.url, parameters });
    await waiting;
    await killed.stop("SIGKILL");
    await provider.send("evm_setAutomine", [true]);
    await provider.send("evm_mine", []);
    expect(await sent()).to.equal(1);

    const resumed = await project.deploy("Examples", { rpcUrl, parameters });
    expect(resumed.code, resumed.stderr).to.equal(0);
    const addresses = await project.addresses();
    expect(addresses).to.have.all.keys(
      "SignerRegistry#SignerRegistry",
      "Examples#ExampleToken",
      "Examples#IncentiveProgram",
      "Examples#MembershipPass",
      "Examples#VerifiedVault",
      "Examples#Ballot",
    );
    expect(await sent()).to.equal(6);
    const vault = await contractAt("VerifiedVault", addresses["Examples#VerifiedVault"], provider);
    expect(await vault.getFunction("registry")()).to.equal(addresses["SignerRegistry#SignerRegistry"]);
    expect(await vault.getFunction("token")()).to.equal(addresses["Examples#ExampleToken"]);
  });
  it("sends nothing twice when it was killed at the moment of sending, and goes on with track-tx", async () => {
    const { rpcUrl, provider, project, sent } = await fixture();
    let transaction: Promise<string> | undefined;
    const proxy = await serveProxy(rpcUrl);
    const killed = project.start("SignerRegistry", { rpcUrl: proxy.url, parameters });
    proxy.behaviour = {
      instead({ method, params = [] }) {
        if (method !== "eth_sendRawTransaction") return undefined;
        transaction ??= provider.send(method, [...params]);
        killed.process.kill("SIGKILL");
        return { error: { code: -32000, message: "The answer is lost" } };
      },
    };
    await killed.waitForEnd();
    const hash = (await transaction) ?? "";

    const lost = await project.deploy("SignerRegistry", { rpcUrl, parameters });
    expect(lost.code).to.equal(1);
    expect(lost.stderr).to.include("ignition track-tx");
    expect((await project.track(hash, { rpcUrl })).code).to.equal(0);
    const found = await project.deploy("SignerRegistry", { rpcUrl, parameters });
    expect(found.code, found.stderr).to.equal(0);
    expect(await sent()).to.equal(1);
    const receipt = await provider.getTransactionReceipt(hash);
    expect(await project.addresses()).to.deep.equal({
      "SignerRegistry#SignerRegistry": receipt?.contractAddress,
    });
  });
});
