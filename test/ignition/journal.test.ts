import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deploy } from "@nomicfoundation/ignition-core";
import { expect } from "chai";
import { network } from "hardhat";
import SignerRegistry from "../../ignition/modules/SignerRegistry.ts";
import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { chooseJournal, requireMatch } from "../../tasks/internal/deployment/journal.ts";
import { prepareDeployment } from "../../tasks/internal/deployment/prepare.ts";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { hideLocalNode, serveProxy } from "../fixtures/chain/proxy.ts";
import { changeNode } from "../fixtures/chain/withoutPending.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { ignitionProject } from "../fixtures/ignition/ignition.ts";
import { rejection } from "../fixtures/rejection.ts";
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

  /** The same node, as one of a public chain. */
  const hide = (node: Eip1193Connection): Eip1193Connection => ({
    async request(call) {
      const refusal = hideLocalNode.instead?.({ id: 1, method: call.method });
      if (refusal) throw new Error(refusal.error?.message);
      return node.request(call);
    },
  });

  /** Deploys the registry as `ignition deploy` does. */
  async function journal(node: Eip1193Connection, ignitionFolder: string, deploymentId: string) {
    const folder = join(ignitionFolder, "deployments", deploymentId);
    const accounts = (await node.request({ method: "eth_accounts" })) as string[];
    const { type } = await deploy({
      artifactResolver: { loadArtifact: expect.fail, getBuildInfo: async () => undefined },
      provider: node,
      ignitionModule: SignerRegistry,
      deploymentParameters: parameters,
      accounts,
      deploymentDir: folder,
      config: { requiredConfirmations: 1, blockPollingInterval: 50 },
    });
    expect(type).to.equal("SUCCESSFUL_DEPLOYMENT");
    return { folder, read: () => readFile(join(folder, "journal.jsonl"), "utf8").catch(() => "none") };
  }

  async function choose(
    node: Eip1193Connection,
    ignitionFolder: string,
    given: { deploymentId?: string; reset?: boolean } = {},
  ) {
    const said: string[] = [];
    const choice = await chooseJournal(
      node,
      { deploymentId: given.deploymentId, reset: given.reset ?? false },
      ignitionFolder,
      (sentence) => said.push(sentence),
    );
    return { ...choice, said: said.join(" ") };
  }

  async function refusal(...given: Parameters<typeof choose>): Promise<string> {
    const error = await rejection(choose(...given));
    expect(error).to.be.instanceOf(InvalidInputError);
    return error.message;
  }

  it("gives a local node a journal of its own, afresh with each node, and keeps the public chain's", async () => {
    const [first, second] = [await serveLocalChain(), await serveLocalChain()];
    const project = await ignitionProject();
    const readPublic = () => readFile(join(project.folder, "deployments/chain-84532/journal.jsonl"), "utf8");
    const local = await project.deploy("SignerRegistry", { rpcUrl: first.rpcUrl, parameters });
    expect(local.code, local.stderr).to.equal(0);
    expect(local.stdout).to.include("This is a local node; its deployment is journalled in ");

    // The address at which the local node has its registry is another's, or nobody's, on the public chain.
    const { url } = await serveProxy((await serveLocalChain()).rpcUrl, hideLocalNode);
    const live = await project.deploy("SignerRegistry", { rpcUrl: url, parameters });
    expect(live.code, live.stderr).to.equal(0);
    expect(live.stdout).not.to.include("Nothing new to deploy");
    const before = await readPublic();

    const { rpcUrl, provider } = second;
    const again = await project.deploy("SignerRegistry", { rpcUrl, parameters, more: ["--reset"] });
    expect(again.code, again.stderr).to.equal(0);
    expect(again.stdout).to.match(/of a node that no longer runs, is now \S*deployments\/local-84532-1\./);
    const { "SignerRegistry#SignerRegistry": address = "" } = await project.addresses();
    expect(await provider.getCode(address)).not.to.equal("0x");
    expect(await readPublic()).to.equal(before);

    // Ignition resets before it looks for the module.
    const missing = await project.deploy("Missing", { rpcUrl, parameters, more: ["--reset"] });
    expect(missing.stderr).to.include("Missing.ts");
    expect(await readPublic()).to.equal(before);
  });

  it("keeps a local node's journal while the node runs", async () => {
    const node = await startNode();
    const folder = await temporaryFolder();
    const { read } = await journal(node, folder, "local-84532");
    const before = await read();
    expect(await choose(node, folder)).to.include({ deploymentId: "local-84532", reset: false });
    expect(await choose(node, folder, { reset: true })).to.include({
      deploymentId: "local-84532",
      reset: true,
    });
    expect(await read()).to.equal(before);
  });

  it("is the local node's own also for a chain of the process alone, if that is to be journalled", async () => {
    const connection = await network.create("identityLocal");
    const usual = { deploymentId: undefined, reset: false, parameters: undefined };
    for (const writeLocalhostDeployment of [true, false]) {
      const given = { ...usual, modulePath: "none", strategy: "basic", writeLocalhostDeployment };
      const { deploymentId } = await prepareDeployment(connection, given, await temporaryFolder());
      expect(deploymentId).to.equal(writeLocalhostDeployment ? "local-84532" : undefined);
    }
  });

  it("takes no journal for a local node's because another contract is at the same address there", async () => {
    const folder = await temporaryFolder();
    const { read } = await journal(await startNode(), folder, "local-84532");
    const restarted = await startNode();
    const accounts = (await restarted.request({ method: "eth_accounts" })) as string[];
    // Any other contract: its whole code is one STOP.
    const data = "0x6001600081600b8239f300";
    await restarted.request({ method: "eth_sendTransaction", params: [{ from: accounts[0], data }] });
    const before = await read();
    const { said } = await choose(restarted, folder);
    expect(said).to.match(/is now \S*deployments\/local-84532-1\.$/);
    expect(await read()).to.equal("none");
    const aside = join(folder, "deployments/local-84532-1/journal.jsonl");
    expect(await readFile(aside, "utf8")).to.equal(before);
    // A second one is set aside beside the first.
    await journal(await startNode(), folder, "local-84532");
    expect((await choose(restarted, folder)).said).to.match(/local-84532-2\.$/);
    expect(await readFile(aside, "utf8")).to.equal(before);
  });

  it("never uses a public chain's journal for a local node, whatever it is told", async () => {
    const folder = await temporaryFolder();
    const node = await startNode();
    const { read } = await journal(hide(node), folder, "chain-84532");
    await cp(join(folder, "deployments/chain-84532"), join(folder, "deployments/live"), { recursive: true });
    const before = await read();
    for (const reset of [false, true]) {
      expect(await refusal(node, folder, { deploymentId: "chain-84532", reset })).to.match(
        /^\S+deployments\/chain-84532 is the journal of a public chain, and this is a local node\. Leave --deployment-id out \(then it is local-84532\), or choose one that begins with "local-"\.$/,
      );
      const other = await startNode();
      expect(await refusal(other, folder, { deploymentId: "live", reset })).to.match(
        /^\S+deployments\/live is not this node's journal: it records SignerRegistry#SignerRegistry at 0x\w{40}, where the node has no code\. It may be a public chain's, so --reset leaves it alone here\./,
      );
    }
    expect(await read()).to.equal(before);
    expect(await choose(hide(node), folder)).to.include({ deploymentId: "chain-84532" });
  });

  it("lets a journal be copied for a local node that forks the public chain", async () => {
    const folder = await temporaryFolder();
    const { rpcUrl, provider } = await serveLocalChain();
    const upstream: Eip1193Connection = {
      request: ({ method, params = [] }) => provider.send(method, [...(params as unknown[])]),
    };
    const { folder: original } = await journal(hide(upstream), folder, "chain-84532");
    await cp(original, join(folder, "deployments/local-rehearsal"), { recursive: true });
    const { url } = await serveProxy(rpcUrl);
    const override = { forking: { url } };
    const { provider: fork, close } = await network.create({ network: "identityLocal", override });
    onCleanup(close);
    const given = { deploymentId: "local-rehearsal" };
    const { said, ...choice } = await choose(fork, folder, given);
    expect(choice).to.deep.equal({ ...given, reset: false });
    expect(said).not.to.include("is now");
  });

  it("names another chain's journal as such, before Ignition forgets it for a node of chain 31337", async () => {
    const folder = await temporaryFolder();
    const { read } = await journal(hide(await startNode()), folder, "live");
    const before = await read();
    const hardhatNode = await startNode(31337);
    expect(await choose(hardhatNode, folder)).to.include({ deploymentId: "chain-31337" });
    for (const reset of [false, true]) {
      expect(await refusal(hardhatNode, folder, { deploymentId: "live", reset })).to.match(
        /deployments\/live is the journal of chain 84532, and this node is on chain 31337\./,
      );
    }
    expect(await read()).to.equal(before);
    await journal(hardhatNode, folder, "chain-31337");
    expect((await choose(await startNode(31337), folder)).said).to.match(/is now \S*chain-31337-1\.$/);
  });

  it("refuses on a public chain a journal that was made on a local node, until it is reset", async () => {
    const folder = await temporaryFolder();
    const { read } = await journal(await startNode(), folder, "chain-84532");
    const live = hide(await startNode());
    expect(await refusal(live, folder)).to.match(
      /where the node has no code\. If it was made on a local node or a fork, start it afresh with --reset, or keep it and choose another with --deployment-id\.$/,
    );
    expect(await read()).not.to.equal("none");
    expect(await choose(live, folder, { reset: true })).to.include({
      deploymentId: "chain-84532",
      reset: true,
    });
    expect(await refusal(live, folder, { deploymentId: "local-84532" })).to.equal(
      'A --deployment-id that begins with "local-" is for local nodes, and this node is not one. Leave it out (then it is chain-84532), or choose another.',
    );
    expect((await rejection(requireMatch(live, "chain-84532", folder))).message).to.match(
      /where the node has no code\. Name the right network with --network\.$/,
    );
    await requireMatch(live, "none-of-the-kind", folder);
  });

  it("takes a journal whose name begins with local- for the local node's own, which goes with the node", async () => {
    const folder = await temporaryFolder();
    const { read } = await journal(await startNode(), folder, "local-rehearsal");
    const given = { deploymentId: "local-rehearsal", reset: true };
    expect(await choose(await startNode(), folder, given)).to.include({ ...given, reset: false });
    expect(await read()).to.equal("none");
  });

  it("keeps the journal of a public chain whose node has forgotten old transactions, but not of a local node that knows none", async () => {
    const folder = await temporaryFolder();
    const node = await startNode();
    await journal(node, folder, "chain-84532");
    await cp(join(folder, "deployments/chain-84532"), join(folder, "deployments/local-84532"), {
      recursive: true,
    });
    const forgetful = changeNode(node, ({ method }) =>
      method === "eth_getTransactionByHash" ? { result: null } : undefined,
    );
    await requireMatch(hide(forgetful), "chain-84532", folder);
    expect(await choose(hide(forgetful), folder)).to.deep.equal({
      ...{ deploymentId: "chain-84532", reset: false, said: "" },
    });
    expect((await rejection(requireMatch(forgetful, "chain-84532", folder))).message).to.match(
      /chain-84532 is not this node's journal: it records transaction 0x[0-9a-f]{64}, which the node does not know\./,
    );
    expect((await choose(forgetful, folder)).said).to.match(/is now \S*local-84532-1\.$/);
  });

  it("keeps a local node's journal also with a transaction that is to be replaced by one with higher fees", async () => {
    const folder = await temporaryFolder();
    const node = await startNode();
    const { folder: deployment, read } = await journal(node, folder, "local-84532");
    // Killed after it has sent the second one.
    const lines = (await read()).split("\n");
    const sent = lines.findIndex((line) => line.includes('"TRANSACTION_SEND"'));
    const { transaction, ...message } = JSON.parse(lines[sent] ?? "");
    const dropped = JSON.stringify({
      ...message,
      transaction: { ...transaction, hash: `0x${"12".repeat(32)}` },
    });
    const killed = [...lines.slice(0, sent), dropped, lines[sent]];
    await writeFile(join(deployment, "journal.jsonl"), `${killed.join("\n")}\n`);
    await requireMatch(node, "local-84532", folder);
    expect((await choose(node, folder)).said).not.to.include("is now");
  });
});
