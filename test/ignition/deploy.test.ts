import { expect } from "chai";
import { Contract, getCreateAddress } from "ethers";
import { artifacts } from "hardhat";
import { readOpenZeppelinArtifact } from "../../ignition/artifacts.ts";
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

  it("deploys a registry whose guardians only remove signers and cancel additions, and whose owner waits a day to add", async () => {
    const { rpcUrl, provider, project } = await fixture();
    const [, multisig, watcher, guardian, another] = await Promise.all(
      [0, 1, 2, 3, 4].map((i) => provider.getSigner(i)),
    );
    if (!multisig || !watcher || !guardian || !another) throw new Error("The node has too few accounts.");
    const deployed = await project.deploy("GuardedRegistry", {
      rpcUrl,
      parameters: {
        GuardedRegistry: {
          owner: multisig.address,
          signers,
          watcher: watcher.address,
          guardian1: guardian.address,
          guardian2: another.address,
        },
      },
    });
    expect(deployed.code, deployed.stderr).to.equal(0);
    const addresses = await project.addresses();
    const at = addresses["GuardedRegistry#SignerRegistry"] ?? "";
    const registry = await contractAt("SignerRegistry", at, provider);
    const manager = new Contract(
      addresses["GuardedRegistry#AccessManager"] ?? "",
      readOpenZeppelinArtifact("AccessManager").abi,
      provider,
    );
    const isSigner = (address: string) => registry.getFunction("isSigner")(address);
    const call = (name: string, args: unknown[]) => registry.interface.encodeFunctionData(name, args);
    type Sender = typeof multisig;
    const send = async (from: Sender, name: string, args: unknown[]) => {
      const sent = await (manager.connect(from) as Contract).getFunction(name)(...args);
      await sent.wait();
    };
    const refused = async (from: Sender, name: string, args: unknown[]) => {
      const error = await (manager.connect(from) as Contract)
        .getFunction(name)
        .staticCall(...args)
        .then(
          () => undefined,
          (reason: Error) => reason,
        );
      expect(error, `${name} by ${from.address}`).to.be.instanceOf(Error);
    };
    const stranger = "0x4444444444444444444444444444444444444444";
    const add = call("addSigner", [stranger]);

    // A guardian's key adds nobody, takes no ownership and gets no other role; the deployer's key nothing.
    const deployer = await provider.getSigner(0);
    for (const from of [watcher, guardian, another, deployer]) {
      for (const data of [add, call("transferOwnership", [from.address]), call("acceptOwnership", [])]) {
        await refused(from, "execute", [at, data]);
        await refused(from, "schedule", [at, data, 0]);
      }
      for (const role of [0, 1, 2]) await refused(from, "grantRole", [role, from.address, 0]);
      await refused(from, "updateAuthority", [at, from.address]);
    }
    await refused(deployer, "execute", [at, call("removeSigner", [signers[0]])]);
    const remove = call("removeSigner", [signers[0]]);
    for (const from of [multisig, guardian, another])
      await (manager.connect(from) as Contract).getFunction("execute").staticCall(at, remove);
    await send(watcher, "execute", [at, remove]);
    expect(await isSigner(signers[0] ?? "")).to.equal(false);

    // The owner's addition waits a day, and a guardian cancels it.
    await refused(multisig, "execute", [at, add]);
    await send(multisig, "schedule", [at, add, 0]);
    await refused(multisig, "execute", [at, add]);
    await send(guardian, "cancel", [multisig.address, at, add]);
    await provider.send("evm_increaseTime", [86_401]);
    await provider.send("evm_mine", []);
    await refused(multisig, "execute", [at, add]);

    await send(multisig, "schedule", [at, add, 0]);
    await provider.send("evm_increaseTime", [86_340]);
    await provider.send("evm_mine", []);
    await refused(multisig, "execute", [at, add]);
    await provider.send("evm_increaseTime", [61]);
    await provider.send("evm_mine", []);
    await send(multisig, "execute", [at, add]);
    expect(await isSigner(stranger)).to.equal(true);
    await send(multisig, "execute", [at, call("removeSigner", [stranger])]);
    expect(await isSigner(stranger)).to.equal(false);
    await refused(multisig, "grantRole", [2, stranger, 0]);
  });

  it("gives a guarded registry's roles in one transaction, also after it was killed before, and to one account for all", async () => {
    const { rpcUrl, provider, project, sent } = await fixture();
    const multisig = await provider.getSigner(1);
    const { address: deployer } = await provider.getSigner(0);
    const guarded = (account: string) => ({
      GuardedRegistry: {
        owner: multisig.address,
        signers: [],
        watcher: account,
        guardian1: account,
        guardian2: account,
      },
    });
    const proxy = await serveProxy(rpcUrl);
    const killed = project.start("GuardedRegistry", { rpcUrl: proxy.url, parameters: guarded(deployer) });
    proxy.behaviour = {
      instead({ params }) {
        // Both contracts are deployed by then, and Ignition simulates `multicall`.
        if (!JSON.stringify(params ?? []).includes("0xac9650d8")) return undefined;
        killed.process.kill("SIGKILL");
        return { error: { code: -32000, message: "The answer is lost" } };
      },
    };
    await killed.waitForEnd();
    expect(await sent()).to.equal(2);
    // The deployer may be a guardian, and so may the owner.
    for (const account of [deployer, multisig.address]) {
      const target = account === deployer ? project : await ignitionProject();
      const done = await target.deploy("GuardedRegistry", { rpcUrl, parameters: guarded(account) });
      expect(done.code, done.stderr).to.equal(0);
      const { "GuardedRegistry#AccessManager": at } = await target.addresses();
      const manager = new Contract(at ?? "", readOpenZeppelinArtifact("AccessManager").abi, provider);
      const hasRole = async (role: number, who: string) => [
        ...(await manager.getFunction("hasRole")(role, who)),
      ];
      expect(await hasRole(0, deployer)).to.deep.equal([false, 0n]);
      expect(await hasRole(0, multisig.address)).to.deep.equal([true, 86_400n]);
      expect(await hasRole(1, account)).to.deep.equal([true, 0n]);
    }
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
      "Examples#Airdrop",
      "Examples#IncentiveProgram",
      "Examples#MembershipPass",
      "Examples#VerifiedVault",
      "Examples#Ballot",
    );
    expect(await sent()).to.equal(7);
    // The registry comes first, so that its address does not depend on the examples.
    const { address: from } = await provider.getSigner(0);
    expect(addresses["SignerRegistry#SignerRegistry"]).to.equal(getCreateAddress({ from, nonce: 0 }));
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
