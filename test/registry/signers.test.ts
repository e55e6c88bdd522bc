import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { getAddress, Interface, type JsonRpcProvider, toQuantity, Wallet } from "ethers";
import { network } from "hardhat";
import { development } from "../../packages/protocol/development.ts";
import type { Eip1193Connection } from "../../packages/protocol/eip1193.ts";
import { InvalidInputError } from "../../packages/protocol/errors.ts";
import { findAdditions } from "../../packages/registry/internal/chain/findAdditions.ts";
import { readAllowlist } from "../../packages/registry/internal/chain/readAllowlist.ts";
import { planChange } from "../../packages/registry/internal/plan/planChange.ts";
import { checksumBatch } from "../../packages/registry/internal/send/safeBatch.ts";
import { changeNode } from "../fixtures/chain/changeNode.ts";
import { deploy, serveLocalChain } from "../fixtures/chain/localChain.ts";
import { hideLocalNode, serveProxy } from "../fixtures/chain/proxy.ts";
import { deploySafeContracts, executeAsSafe, planSafe } from "../fixtures/chain/safe.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { rejection } from "../fixtures/rejection.ts";
import { startStack } from "../fixtures/signer/stack.ts";
import { announce } from "../fixtures/tasks/announcedStack.ts";
import { runHardhat } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const newSigner = () => Wallet.createRandom().address;

/** Runs `identity signers <args>` on a node. */
function tasksOn(port: string) {
  return async (...args: string[]) => {
    const { code, stdout, stderr } = await runHardhat(["identity", "signers", ...args, "--port", port]);
    return { code, stdout, stderr };
  };
}

async function json(ran: Promise<{ code: number; stdout: string; stderr: string }>) {
  const { code, stdout, stderr } = await ran;
  expect(stderr).to.equal("");
  return { code, ...JSON.parse(stdout) };
}

describe("identity signers", function () {
  this.timeout(300_000);

  it("adds, lists and removes signers of the running stack, and names its service's signer", async () => {
    const stack = await startStack();
    const { rpcUrl, registry, registryContract, url, deployer, provider } = stack;
    const run = tasksOn(announce({ rpcUrl, registry, signerUrl: url }));
    const signer = newSigner();
    const isSigner = async () => await registryContract.getFunction("isSigner")(signer);
    const deployed = (await registryContract.deploymentTransaction()?.wait())?.blockNumber;

    const tried = await json(run("add", "--signer", signer, "--dry-run", "--json"));
    const data = new Interface(["function addSigner(address)"]).encodeFunctionData("addSigner", [signer]);
    expect(tried).to.deep.equal({
      code: 0,
      registry,
      signer,
      sent: false,
      owner: deployer.address,
      transaction: { to: registry, value: "0", data },
    });
    expect((await run("add", "--signer", signer, "--dry-run")).stdout)
      .to.match(new RegExp(`^Not sent +addSigner\\(${signer}\\), which the registry's owner `))
      .and.not.include("Safe");
    const batch = join(await temporaryFolder(), "batch.json");
    const planned = await json(run("add", "--signer", signer, "--batch", batch, "--json"));
    expect(planned).to.deep.equal({ ...tried, batch });
    expect(await isSigner()).to.equal(false);

    const added = await json(run("add", "--signer", signer, "--json"));
    const { transactionHash, blockNumber } = added;
    expect(added).to.deep.equal({ code: 0, registry, signer, sent: true, transactionHash, blockNumber });
    expect((await provider.getTransactionReceipt(transactionHash))?.blockNumber).to.equal(blockNumber);
    expect(await isSigner()).to.equal(true);

    const heir = newSigner();
    await (await registryContract.getFunction("transferOwnership")(heir)).wait();
    expect(await json(run("list", "--json"))).to.deep.equal({
      code: 0,
      registry,
      owner: deployer.address,
      ownerIsContract: false,
      pendingOwner: heir,
      signers: [
        { signer: development.signer, sinceBlock: deployed, signs: true },
        { signer, sinceBlock: blockNumber, signs: false },
      ],
      searchedFrom: 0,
      service: { url, signer: development.signer },
    });
    expect((await run("list", "--from-block", String(blockNumber))).stdout).to.equal(
      [
        `Registry    ${registry}`,
        `Owner       ${deployer.address}`,
        `Next owner  ${heir}, which must still call acceptOwnership()`,
        `Signer      ${development.signer}`,
        `            before block ${blockNumber} (--from-block searches further), signs for ${url}`,
        `Signer      ${signer}`,
        `            since block ${blockNumber}`,
        "",
      ].join("\n"),
    );

    const harm = await json(run("remove", "--signer", development.signer, "--json"));
    expect([harm.code, harm.error.message]).to.deep.equal([
      1,
      `The service ${url} signs with ${development.signer}: its verifications would become invalid. Rotate its key first, or give --yes, for example after the key has leaked.`,
    ]);
    const refusal = { error: { code: -32_000, message: "too poor" } };
    const poor = await serveProxy(rpcUrl, {
      instead: ({ method }) => (method === "eth_sendTransaction" ? refusal : undefined),
    });
    const failed = await json(
      tasksOn(announce({ rpcUrl: poor.url }))("remove", "--registry", registry, "--signer", signer, "--json"),
    );
    const message = "removeSigner failed: eth_sendTransaction was refused: too poor";
    expect(failed).to.deep.equal({ code: 1, error: { message } });
    expect(await json(run("remove", "--signer", signer, "--json"))).to.include({ code: 0, sent: true });
    expect(await isSigner()).to.equal(false);
  });

  it("lists a signer without its block if the node has forgotten the events", async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    const owner = await provider.getSigner(0);
    const contract = await deploy(owner, "SignerRegistry", [owner.address, [newSigner()]]);
    const pruned = await serveProxy(rpcUrl, {
      instead: ({ method }) => (method === "eth_getLogs" ? { result: [] } : undefined),
    });
    const { stdout } = await tasksOn(announce({ rpcUrl: pruned.url }))(
      "list",
      "--registry",
      await contract.getAddress(),
    );
    expect(stdout).to.include("the node did not return the event of its addition");
  });

  it("prints nothing but its report, however long it searches where nobody looks on", async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    const owner = await provider.getSigner(0);
    const contract = await deploy(owner, "SignerRegistry", [owner.address, [newSigner()]]);
    const registry = await contract.getAddress();
    await provider.send("hardhat_mine", ["0x20"]);
    const limited = await serveProxy(rpcUrl, {
      instead: ({ method, params: [range] = [] }) => {
        const { fromBlock, toBlock } = Object(range);
        const isMuch = method === "eth_getLogs" && Number(toBlock) - Number(fromBlock) >= 10;
        return isMuch ? { error: { code: -32_000, message: "query exceeds max block range" } } : undefined;
      },
    });
    const run = tasksOn(announce({ rpcUrl: limited.url }));
    const { searchedFrom, signers } = await json(run("list", "--registry", registry, "--json"));
    expect(signers[0].sinceBlock).to.equal(1);
    expect(searchedFrom).to.be.below(2);
  });

  it("prints the transaction for a Safe, and writes its batch file", async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    const owner = await provider.getSigner(0);
    const contracts = await deploySafeContracts(owner);
    const { address: safe, deploy: deploySafe } = await planSafe(contracts, [owner.address], 1);
    await deploySafe();
    const registryContract = await deploy(owner, "SignerRegistry", [safe, []]);
    const registry = await registryContract.getAddress();
    const run = tasksOn(announce({ rpcUrl }));
    const [signer, file] = [newSigner(), join(await temporaryFolder(), "batch.json")];
    const ofRegistry = ["--registry", registry, "--signer", signer];

    const printed = await run("add", ...ofRegistry);
    expect(printed.code).to.equal(0);
    const { transaction, ...rest } = await json(run("add", ...ofRegistry, "--batch", file, "--json"));
    expect(rest).to.deep.equal({ code: 0, registry, signer, sent: false, owner: safe, batch: file });
    const { to, value, data } = transaction;
    expect(printed.stdout).to.equal(
      `Not sent    addSigner(${signer}), which the registry's owner ${safe} must send on chain 84532\nTo          ${to}\n` +
        `Value       ${value}\nData        ${data}\nFor a Safe  --batch <file> writes it for Safe's Transaction Builder\n`,
    );
    expect(await registryContract.getFunction("signers")()).to.deep.equal([]);
    const { stdout } = await run("list", "--registry", registry);
    expect(stdout).to.include(`\nOwner     ${safe}, a contract\n`);

    const { createdAt, ...batch } = JSON.parse(await readFile(file, "utf8"));
    const { checksum, ...meta } = batch.meta;
    expect(checksum).to.equal(checksumBatch({ ...batch, createdAt, meta }));
    expect(Date.now() - createdAt).to.be.within(0, 60_000);
    // The Transaction Builder takes no data where there is a method.
    const inputs = [{ internalType: "address", name: "signer", type: "address" }];
    const contractMethod = { inputs, name: "addSigner", payable: false };
    expect(batch).to.deep.equal({
      version: "1.0",
      chainId: "84532",
      meta: {
        name: `addSigner(${signer})`,
        description: `SignerRegistry ${registry}`,
        checksum,
        txBuilderVersion: "1.16.5",
        createdFromSafeAddress: safe,
        createdFromOwnerAddress: "",
      },
      transactions: [{ to, value, data: null, contractMethod, contractInputsValues: { signer } }],
    });
    await executeAsSafe(contracts, safe, owner, transaction);
    expect([...(await registryContract.getFunction("signers")())]).to.deep.equal([signer]);

    await writeFile(file, "mine");
    for (const [place, why] of [
      [file, "already exists"],
      [join(file, "in-a-file"), "cannot be written (ENOTDIR)"],
    ] as const) {
      const refused = await json(run("remove", ...ofRegistry, "--yes", "--batch", place, "--json"));
      expect(refused.error.message).to.equal(`--batch names ${place}, which ${why}.`);
    }
    expect(await readFile(file, "utf8")).to.equal("mine");
  });

  it("sends nothing for an account that is not the owner, and names owner and pending owner", async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    const deployer = await provider.getSigner(0);
    const owner = newSigner();
    const registry = await (await deploy(deployer, "SignerRegistry", [owner, []])).getAddress();
    await handOver(provider, { registry, owner, to: deployer.address });
    const run = tasksOn(announce({ rpcUrl }));
    const blocks = await provider.getBlockNumber();
    const only = (has: string) =>
      `Only the registry's owner ${owner} can do that, and it is not one of the network's accounts: ${has} Configure its key (accounts in the network's configuration), or let it send the transaction that --dry-run prints.`;
    const accounts: string[] = await provider.send("eth_accounts", []);
    const theirs = `these are ${accounts.slice(0, 3).map(getAddress).join(", ")}.`;
    const { code, error } = await json(run("add", "--registry", registry, "--signer", newSigner(), "--json"));
    expect([code, error.message]).to.deep.equal([
      1,
      only(`${theirs} ${deployer.address} becomes the owner when it calls acceptOwnership().`),
    ]);
    expect(await provider.getBlockNumber()).to.equal(blocks);

    // Somebody else who is to become it is of no use here.
    await handOver(provider, { registry, owner, to: newSigner() });
    const other = await json(run("add", "--registry", registry, "--signer", newSigner(), "--json"));
    expect(other.error.message).to.equal(only(theirs));

    const refusal = { error: { code: -32601, message: "Unsupported method: eth_accounts" } };
    const silent = await serveProxy(rpcUrl, {
      instead: ({ method }) => (method === "eth_accounts" ? refusal : undefined),
    });
    const onSilent = tasksOn(announce({ rpcUrl: silent.url }));
    const unheard = await json(onSilent("add", "--registry", registry, "--signer", newSigner(), "--json"));
    expect(unheard.error.message).to.equal(
      only('there is none (it answers eth_accounts with "Unsupported method: eth_accounts").'),
    );
  });

  it("sends only after a yes at a terminal", async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    const owner = await provider.getSigner(0);
    const contract = await deploy(owner, "SignerRegistry", [owner.address, []]);
    const registry = await contract.getAddress();
    const signer = newSigner();
    const change = ["--registry", registry, "--signer", signer, "--port", announce({ rpcUrl })];
    const isSigner = () => contract.getFunction("isSigner")(signer);
    const run = (kind: "add" | "remove", input: string, ...more: string[]) =>
      runHardhat(["identity", "signers", kind, ...change, ...more], { input, isTerminal: true });
    for (const answer of ["\n", " \n", "n\n", "no\n", "yesterday\n", "oy\n"]) {
      const { code, stdout } = await run("add", answer);
      expect(stdout, answer).to.include(
        `${owner.address} will send addSigner(${signer}) to the registry ${registry} on chain 84532. Send it? (y/N)`,
      );
      expect(stdout).to.match(/Not sent +addSigner/);
      expect([code, await isSigner()], answer).to.deep.equal([1, false]);
    }
    for (const answer of ["y\n", " YES \n"]) {
      const done = `${signer} at the registry ${registry}, since block \\d+\nTransaction  0x\\w{64}\n$`;
      expect((await run("add", answer)).stdout, answer).to.match(new RegExp(`Added        ${done}`));
      expect(await isSigner(), answer).to.equal(true);
      expect((await run("remove", "", "--yes")).stdout).to.match(new RegExp(`^Removed      ${done}`));
      expect(await isSigner(), answer).to.equal(false);
    }
    expect((await run("add", "", "--json")).stdout).to.match(/^\{.*"sent":true/);
    const more = ["--registry", registry, "--signer", newSigner(), ...change.slice(-2), "--yes"];
    const second = await runHardhat(["identity", "signers", "add", ...more]);
    expect(second.stdout).to.match(
      /^Added .*\nCompare +a service with another master secret gives people a second identity: identity-signer check --other\n/,
    );
    const guard = ["guard", "--admin", newSigner(), "--guardians", newSigner(), "--registry", registry];
    const named = ["identity", "signers", ...guard, ...change.slice(-2)];
    const { code, stdout } = await runHardhat(named, { input: "n\n", isTerminal: true });
    expect(stdout).to.match(/will send the code of an AccessManager to a new address .*\nNext +deploy/s);
    expect(code).to.equal(1);
  });

  it("sends nothing to a chain that is not local without --yes if there is no terminal", async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    const owner = await provider.getSigner(0);
    const registry = await (await deploy(owner, "SignerRegistry", [owner.address, []])).getAddress();
    const proxy = await serveProxy(rpcUrl);
    proxy.behaviour = hideLocalNode;
    const run = tasksOn(announce({ rpcUrl: proxy.url }));
    const signer = newSigner();
    const change = ["add", "--registry", registry, "--signer", signer];
    const blocks = await provider.getBlockNumber();
    const refused = await json(run(...change, "--json"));
    expect(refused.code).to.equal(1);
    expect(refused.error.message).to.equal(
      `This would send addSigner(${signer}) to the registry ${registry} on chain 84532, but there is no terminal for a confirmation: add --yes, or add --dry-run to see the transaction first.`,
    );
    const unasked = await run(...change);
    expect(unasked.code).to.equal(1);
    expect(unasked.stderr).to.include("add --yes");
    expect(await provider.getBlockNumber()).to.equal(blocks);
    expect(await json(run(...change, "--json", "--yes"))).to.include({ code: 0, sent: true });
  });

  it("names the service's keys, current and next, that the registry does not accept yet", async () => {
    const { rpcUrl, provider } = await serveLocalChain();
    const owner = await provider.getSigner(0);
    const [signer, nextSigner] = [newSigner(), newSigner()];
    const registry = await (await deploy(owner, "SignerRegistry", [owner.address, []])).getAddress();
    const chain = { chainId: 84532, registry, signer, nextSigner, domain: {} };
    const discovery = {
      endpoint: "https://a.example",
      verifyUrl: "https://a.example",
      statement: "",
      lifetime: 300,
      messageMaxAge: 600,
      chains: [chain],
      providers: {},
    };
    const { url } = await serveHttp((_request, response) => {
      response.setHeader("content-type", "application/json").end(JSON.stringify(discovery));
    });
    const run = tasksOn(announce({ rpcUrl }));
    const consumer = await (await deploy(owner, "ExternalGate", [registry])).getAddress();
    const options = ["--consumer", consumer, "--service", url];
    const twice = await json(run("list", ...options, "--registry", registry, "--json"));
    expect(twice.error.message).to.equal("--registry and --consumer both name a registry; give one of them.");
    const unnamed = await runHardhat(["identity", "signers", "list", "--network", "identityLocal", "--json"]);
    expect(JSON.parse(unnamed.stdout).error.message).to.equal(
      "--registry is missing; give the registry, or one of its consumers with --consumer.",
    );
    expect((await json(run("list", ...options, "--json"))).service).to.deep.equal({
      url,
      signer,
      nextSigner,
    });
    expect((await run("list", ...options)).stdout.trimEnd().split("\n").slice(2)).to.deep.equal([
      "Signer      none: no verification is valid",
      `Not listed  ${signer}, a signer of ${url}`,
      `Not listed  ${nextSigner}, a signer of ${url}`,
    ]);
    discovery.chains = [{ ...chain, chainId: 10, signer: nextSigner }, chain];
    expect((await json(run("list", ...options, "--json"))).service.signer).to.equal(signer);
    discovery.chains = [{ ...chain, chainId: 10 }];
    expect((await json(run("list", ...options, "--json"))).error.message).to.equal(
      `The service ${url} does not serve the registry ${registry} on chain 84532; it serves ${registry} on chain 10.`,
    );
  });

  async function handOver(
    provider: JsonRpcProvider,
    { registry, owner, to }: { registry: string; owner: string; to: string },
  ): Promise<void> {
    await provider.send("hardhat_setBalance", [owner, toQuantity(10n ** 18n)]);
    await provider.send("hardhat_impersonateAccount", [owner]);
    const data = new Interface(["function transferOwnership(address)"]).encodeFunctionData(
      "transferOwnership",
      [to],
    );
    await provider.send("eth_sendTransaction", [{ from: owner, to: registry, data }]);
    await provider.send("hardhat_stopImpersonatingAccount", [owner]);
  }
});

describe("A change of the allowlist", () => {
  const [one, two] = [newSigner(), newSigner()];

  async function fixture(signers: readonly string[]) {
    const { provider: node, ethers } = await network.create("identityLocal");
    const [owner] = await ethers.getSigners();
    const contract = await ethers.deployContract("SignerRegistry", [owner, [...signers]]);
    const registry = await contract.getAddress();
    const plan = async (
      kind: "add" | "remove",
      signer: string,
      known: { yes?: boolean; isLocal?: boolean; signs?: string } = {},
    ) =>
      planChange(
        node,
        await readAllowlist(node, registry),
        { kind, signer, yes: known.yes ?? false },
        {
          isLocal: async () => known.isLocal ?? false,
          service:
            known.signs === undefined
              ? undefined
              : { url: "https://service.example", signer: known.signs, nextSigner: undefined },
        },
      );
    const refusal = async (...args: Parameters<typeof plan>) => {
      const error = await rejection(plan(...args));
      expect(error).to.be.instanceOf(InvalidInputError);
      return error.message;
    };
    return { registry, plan, refusal };
  }

  it("is refused if it changes nothing, and shows the current list", async () => {
    const { registry, refusal } = await fixture([one]);
    expect(await refusal("add", one)).to.equal(
      `${one} is already on the allowlist of the registry ${registry}.`,
    );
    expect(await refusal("remove", two)).to.equal(
      `${two} is not on the allowlist of the registry ${registry}, which has ${one}.`,
    );
    expect(await (await fixture([])).refusal("remove", two)).to.include("which is empty");
    const of = await fixture([one, two]);
    expect(await of.refusal("remove", newSigner())).to.include(`, which has ${one} and ${two}.`);
  });

  it("is refused for an address with a public key pair outside a local node, and for no address", async () => {
    const { plan, refusal } = await fixture([]);
    expect(await refusal("add", development.signer)).to.equal(
      `--signer is ${development.signer}, a development address: everybody knows its key, and this chain is not a local node.`,
    );
    expect((await plan("add", development.signer, { isLocal: true })).name).to.equal("addSigner");
    expect((await plan("add", one, { isLocal: false })).inputs[0]?.value).to.equal(one);
    expect(await refusal("add", `0x${"00".repeat(20)}`)).to.equal("--signer must not be the zero address.");
  });

  it("is refused without --yes if it removes the last signer or a service's", async () => {
    const last = await fixture([one]);
    expect(await last.refusal("remove", one)).to.equal(
      `${one} is the only signer of the registry ${last.registry}: without it, no verification is valid until another one is added. Add another one first, or give --yes, for example after the key has leaked.`,
    );
    expect((await last.plan("remove", one, { yes: true })).inputs[0]?.value).to.equal(one);
    const { plan } = await fixture([one, two]);
    expect((await plan("remove", one, { signs: one, yes: true })).inputs[0]?.value).to.equal(one);
    expect((await plan("remove", one, { signs: two })).inputs[0]?.value).to.equal(one);
  });
});

describe("The owner of a registry", () => {
  it("is a contract if it has code, but not if that is an EIP-7702 delegation", async () => {
    const { provider: node, ethers } = await network.create("identityLocal");
    const owner = newSigner();
    const registry = await (await ethers.deployContract("SignerRegistry", [owner, []])).getAddress();
    const delegate = "a1".repeat(20);
    for (const [code, isContract] of [
      ["0x", false],
      [`0xef0100${delegate}`, false],
      ["0x00", true],
      [`0x60ef0100${delegate}`, true],
      [`0x600100${delegate}`, true],
    ] as const) {
      const changed = changeNode(node, ({ method }) =>
        method === "eth_getCode" ? { result: code.toUpperCase().replace("0X", "0x") } : undefined,
      );
      const state = await readAllowlist(changed, registry);
      expect(state, code).to.include({ owner, ownerIsContract: isContract, pendingOwner: undefined });
    }
  });
});

describe("Since when a signer is on the allowlist", () => {
  async function pass(node: Eip1193Connection, blocks: number): Promise<void> {
    for (let i = 0; i < blocks; i++) await node.request({ method: "evm_mine" });
  }

  /** A registry whose signer was added, removed and added again, and the nodes that tell of so many blocks at once. */
  async function fixture() {
    const { provider, ethers } = await network.create("identityLocal");
    const signer = newSigner();
    const contract = await ethers.deployContract("SignerRegistry", [
      (await ethers.getSigners())[0],
      [signer],
    ]);
    await (await contract.removeSigner(signer)).wait();
    await pass(provider, 20);
    const receipt = await (await contract.addSigner(signer)).wait();
    await pass(provider, 20);
    const asked: number[] = [];
    const limitedTo = (most: number): Eip1193Connection => ({
      async request(call) {
        if (call.method === "eth_getLogs") {
          const [{ fromBlock, toBlock }] = call.params as [{ fromBlock: string; toBlock: string }];
          asked.push(Number(toBlock) - Number(fromBlock) + 1);
          if ((asked.at(-1) ?? 0) > most) throw new Error("query exceeds max block range");
        }
        return await provider.request(call as Parameters<typeof provider.request>[0]);
      },
    });
    const options = { registry: await contract.getAddress(), signers: [signer] };
    return { options, signer, block: receipt?.blockNumber ?? 0, asked, limitedTo };
  }

  it("is found with one request if the node allows that", async () => {
    const { options, signer, block, asked, limitedTo } = await fixture();
    const { blocks, searchedFrom } = await findAdditions(limitedTo(1_000_000), options);
    expect([blocks.get(signer), searchedFrom, asked.length]).to.deep.equal([block, 0, 1]);
  });

  it("is searched backwards in smaller ranges if the node wants that, and no further than needed", async () => {
    const { options, signer, block, asked, limitedTo } = await fixture();
    const told: number[] = [];
    const progress = (from: number) => void told.push(from);
    const { blocks, searchedFrom } = await findAdditions(limitedTo(10), { ...options, progress });
    expect(blocks.get(signer)).to.equal(block);
    expect(searchedFrom).to.be.within(block - 9, block);
    expect(asked.filter((span) => span > 10)).to.have.length(1);
    expect(told)
      .to.deep.equal([...told].sort((a, b) => b - a))
      .and.have.length(asked.length - 1);
  });

  it("is left open if it is earlier than the earliest block to search", async () => {
    const { options, block, limitedTo } = await fixture();
    const { blocks, searchedFrom } = await findAdditions(limitedTo(10), { ...options, fromBlock: block + 1 });
    expect([blocks.size, searchedFrom]).to.deep.equal([0, block + 1]);
  });

  it("is the last time for each of several signers that were added far apart", async () => {
    const { provider, ethers } = await network.create("identityLocal");
    const [early, again] = [newSigner(), newSigner()];
    const [owner] = await ethers.getSigners();
    const contract = await ethers.deployContract("SignerRegistry", [owner, []]);
    const add = async (signer: string) => (await (await contract.addSigner(signer)).wait())?.blockNumber;
    const blocks = [await add(early)];
    await pass(provider, 20);
    await add(again);
    await (await contract.removeSigner(again)).wait();
    await pass(provider, 20);
    blocks.push(await add(again));
    const limited = changeNode(provider, ({ method, params: [range] = [] }) => {
      const { fromBlock, toBlock } = Object(range);
      const isMuch = method === "eth_getLogs" && Number(toBlock) - Number(fromBlock) >= 10;
      return isMuch ? { error: { code: -32_000, message: "query exceeds max block range" } } : undefined;
    });
    const options = { registry: await contract.getAddress(), signers: [early, again] };
    const found = await findAdditions(limited, options);
    expect([early, again].map((signer) => found.blocks.get(signer))).to.deep.equal(blocks);
  });

  it("is searched with 500 requests at most, unless an earliest block is given", async () => {
    const signer = newSigner();
    let questions = 0;
    const node: Eip1193Connection = {
      async request({ method, params }) {
        if (method === "eth_blockNumber") return toQuantity(1_000);
        questions++;
        const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
        if (fromBlock !== toBlock) throw new Error("one block at a time");
        return [];
      },
    };
    const options = { registry: signer, signers: [signer] };
    const { searchedFrom } = await findAdditions(node, options);
    expect(questions).to.equal(500);
    // All blocks, then 1 000, 100 and 10 of them, are asked for in vain.
    expect(searchedFrom).to.equal(1_001 - (500 - 4));
    expect((await findAdditions(node, { ...options, fromBlock: 300 })).searchedFrom).to.equal(300);
  });

  it("is searched in ranges no smaller because the node was asked too often, which it waits for", async () => {
    const { options, signer, block, asked, limitedTo } = await fixture();
    const node = limitedTo(1_000_000);
    let refusals = 1;
    const busy: Eip1193Connection = {
      async request(call) {
        if (call.method === "eth_getLogs" && refusals-- > 0)
          throw Object.assign(new Error("Too many requests, try again later"), { code: -32005 });
        return await node.request(call);
      },
    };
    const { blocks } = await findAdditions(busy, options);
    expect([blocks.get(signer), asked.length]).to.deep.equal([block, 1]);
  });

  it("is searched to its end though the node was asked too often before each of many ranges", async () => {
    const { options, limitedTo } = await fixture();
    const node = limitedTo(10);
    let [isRefused, refusals] = [false, 0];
    const busy: Eip1193Connection = {
      async request(call) {
        isRefused = call.method === "eth_getLogs" && !isRefused;
        if (isRefused) refusals++;
        if (isRefused) throw Object.assign(new Error("Too many requests, try again later"), { code: -32005 });
        return await node.request(call);
      },
    };
    const { searchedFrom } = await findAdditions(busy, { ...options, signers: [newSigner()] });
    expect(searchedFrom).to.equal(0);
    expect(refusals, "more than it may in a row").to.be.above(5);
  });

  it("is unknown if the node refuses events, and the node's error says why", async () => {
    const { options, limitedTo } = await fixture();
    expect((await rejection(findAdditions(limitedTo(0), options))).message).to.equal(
      `The node did not return the events of ${options.registry} (eth_getLogs): query exceeds max block range`,
    );
  });
});

describe("A batch's checksum", () => {
  it("equals that of Safe's own Transaction Builder, whatever the order of members", () => {
    // The batch and the checksum of its tests (safe-global/safe-react-apps, apps/tx-builder).
    const account = "0x49d4450977E2c95362C13D3a31a09311E0Ea26A6";
    const method = (type: string, parameter: string, name: string) => ({
      inputs: [{ internalType: type, name: parameter, type }],
      name,
      payable: false,
    });
    const batch = {
      transactions: [
        {
          contractInputsValues: { paramAddress: account },
          to: account,
          value: "0",
          contractMethod: method("address", "paramAddress", "testAddress"),
        },
        {
          to: account,
          value: "0",
          contractMethod: method("bool", "paramBool", "testBool"),
          contractInputsValues: { paramBool: "false", paramAddress: "" },
        },
        {
          to: account,
          value: "2000000000000000000",
          data: "0x42f4579000000000000000000000000049d4450977e2c95362c13d3a31a09311e0ea26a6",
        },
      ],
      version: "1.0",
      chainId: "4",
      createdAt: 1646321521061,
      meta: {
        name: "test batch file",
        txBuilderVersion: "1.4.0",
        checksum: "",
        createdFromSafeAddress: "0xDF8a1Ce35c9a6ACE153B4e0767942f1E2291a1Aa",
        createdFromOwnerAddress: account,
      },
    };
    const checksum = "0x4ecbfd364aa6759983915644e73f8bd411e85a2dc306f252a387c2728c4db64c";
    expect(checksumBatch(batch)).to.equal(checksum);
    expect(checksumBatch({ ...batch, meta: { ...batch.meta, name: "another" } })).to.equal(checksum);
    expect(checksumBatch({ ...batch, meta: { ...batch.meta, txBuilderVersion: "1.5.0" } })).not.to.equal(
      checksum,
    );
  });
});
