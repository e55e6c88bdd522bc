import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { network } from "hardhat";
import type { Eip1193Connection } from "../../packages/protocol/eip1193.ts";
import { chooseLocalJournal } from "../../tasks/internal/deployment/journal.ts";
import { prepareDeployment } from "../../tasks/internal/deployment/prepare.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { type Call, hideLocalNode, serveProxy } from "../fixtures/chain/proxy.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { ignitionProject } from "../fixtures/ignition/ignition.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const owner = "0x1111111111111111111111111111111111111111";
const parameters = { SignerRegistry: { owner, signers: [] } };

describe("The journal of a deployment", function () {
  this.timeout(300_000);

  /** A chain of this process, as a local node. */
  async function startNode(chainId = 84532): Promise<Eip1193Connection> {
    const { provider, close } = await network.create({ network: "identityLocal", override: { chainId } });
    onCleanup(close);
    return provider;
  }

  /** A module of somebody else's: a precompile, a contract that is gone after its construction, and one that stays. */
  async function strangersProject() {
    const project = await ignitionProject();
    const core = import.meta.resolve("@nomicfoundation/ignition-core");
    // Instead of the link to this repository's modules.
    await rm(join(project.folder, "modules"));
    await mkdir(join(project.folder, "modules"));
    await writeFile(
      join(project.folder, "modules/Strange.ts"),
      `import { buildModule } from ${JSON.stringify(core)};
const artifact = (contractName, bytecode) => ({
  ...{ _format: "hh3-artifact-1", contractName, sourceName: contractName + ".sol", abi: [] },
  ...{ bytecode, deployedBytecode: "0x", linkReferences: {}, deployedLinkReferences: {} },
});
export default buildModule("Strange", (m) => ({
  sha256: m.contractAt("Sha256", artifact("Sha256", "0x"), "0x0000000000000000000000000000000000000002"),
  gone: m.contract("Gone", artifact("Gone", "0x33ff")),
  stays: m.contract("Stays", artifact("Stays", "0x6001600081600b8239f300")),
}));
`,
    );
    const journals = async () => (await readdir(join(project.folder, "deployments"))).sort();
    return { deploy: (rpcUrl: string) => project.deploy("Strange", { rpcUrl }), journals };
  }

  it("is a local node's own, afresh with each run of the node, and apart from the public chain's", async () => {
    const [first, second] = [await serveLocalChain(), await serveLocalChain()];
    const project = await ignitionProject();
    const folder = join(project.folder, "deployments");
    const local = await project.deploy("SignerRegistry", { rpcUrl: first.rpcUrl, parameters });
    expect(local.code, local.stderr).to.equal(0);
    const journal = await project.findJournal();
    expect(journal).to.match(/^local-84532-[0-9a-f]{8}$/);
    expect(local.stdout).to.include("This is a local node; its deployment is journalled in ");
    expect(local.stdout).to.include(`deployments/${journal}.`);
    const read = (name: string) => readFile(join(folder, name, "journal.jsonl"), "utf8");

    // The address at which the local node has its registry is another's, or nobody's, on the public chain.
    const { url } = await serveProxy((await serveLocalChain()).rpcUrl, hideLocalNode);
    const live = await project.deploy("SignerRegistry", { rpcUrl: url, parameters });
    expect(live.code, live.stderr).to.equal(0);
    expect(live.stdout).not.to.include("Nothing new to deploy");
    const before = [await read("chain-84532"), await read(journal)];

    const { rpcUrl, provider } = second;
    const again = await project.deploy("SignerRegistry", { rpcUrl, parameters, more: ["--reset"] });
    expect(again.code, again.stderr).to.equal(0);
    expect([await read("chain-84532"), await read(journal)]).to.deep.equal(before);
    const another = (await readdir(folder)).find((name) => name !== journal && name !== "chain-84532") ?? "";
    const { "SignerRegistry#SignerRegistry": address = "" } = await project.addresses(another);
    expect(await provider.getCode(address)).not.to.equal("0x");

    const kept = await project.deploy("SignerRegistry", { rpcUrl, parameters });
    expect(kept.stdout).to.include("Nothing new to deploy");
    expect((await readdir(folder)).length).to.equal(3);
    // A name that is given is used.
    const named = await project.deploy("SignerRegistry", {
      rpcUrl,
      parameters,
      more: ["--deployment-id", "mine"],
    });
    expect([named.code, named.stdout.includes("This is a local node")]).to.deep.equal([0, false]);
    expect(await readdir(folder)).to.include("mine");
  });

  it("is nobody's to judge: a contract without code, or a node that once answers that there is none, changes nothing", async () => {
    for (const isLocal of [true, false]) {
      const { rpcUrl, provider } = await serveLocalChain();
      const { deploy, journals } = await strangersProject();
      const hide = isLocal ? undefined : hideLocalNode.instead;
      const { url } = await serveProxy(rpcUrl, {
        instead: (call: Call) => (call.method === "eth_getCode" ? { result: "0x" } : hide?.(call)),
      });
      const first = await deploy(url);
      expect(first.code, first.stderr).to.equal(0);
      const names = await journals();
      const blocks = await provider.getBlockNumber();
      const again = await deploy(url);
      expect(again.code, again.stderr).to.equal(0);
      expect(again.stdout).to.include("Nothing new to deploy");
      expect([await journals(), await provider.getBlockNumber()]).to.deep.equal([names, blocks]);
    }
  });

  it("is the local node's own also for a chain of the process alone, if that is to be journalled", async () => {
    const connection = await network.create("identityLocal");
    const usual = { deploymentId: undefined, parameters: undefined };
    for (const writeLocalhostDeployment of [true, false]) {
      const given = { ...usual, modulePath: "none", strategy: "basic", writeLocalhostDeployment };
      const deploymentId = await prepareDeployment(connection, given, await temporaryFolder());
      expect(String(deploymentId)).to.match(writeLocalhostDeployment ? /^local-84532-/ : /^undefined$/);
    }
  });

  it("is left to Ignition on a public chain and on Hardhat's own, and has no run's id where the node has none", async () => {
    expect(await chooseLocalJournal(await startNode(31337))).to.equal(undefined);
    const node = await startNode();
    const answering = (answers: Record<string, unknown>): Eip1193Connection => ({
      async request(call) {
        if (call.method in answers) return answers[call.method];
        if (/^(hardhat|anvil)_/.test(call.method))
          throw Object.assign(new Error("unknown"), { code: -32601 });
        return node.request(call);
      },
    });
    expect(await chooseLocalJournal(answering({}))).to.equal(undefined);
    const id = `0x${"ab".repeat(32)}`;
    const nodeInfo = { anvil_nodeInfo: {} };
    for (const [answers, journal] of [
      [nodeInfo, "local-84532"],
      [{ anvil_nodeInfo: {}, anvil_metadata: { instanceId: id } }, "local-84532-abababab"],
      [{ hardhat_metadata: { instanceId: id } }, "local-84532-abababab"],
      // It becomes the name of a folder.
      [{ hardhat_metadata: { instanceId: "0x../../.." } }, "local-84532"],
    ] as const) {
      expect(await chooseLocalJournal(answering(answers))).to.equal(journal);
    }
  });
});
