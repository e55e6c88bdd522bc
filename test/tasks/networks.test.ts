import { text } from "node:stream/consumers";
import { expect } from "chai";
import { Interface, id } from "ethers";
import { artifacts } from "hardhat";
import { configVariable } from "hardhat/config";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type {
  ChainDescriptorsUserConfig,
  EdrNetworkUserConfig,
  HardhatUserConfig,
  NetworkUserConfig,
} from "hardhat/types/config";
import { connectChain } from "../../packages/protocol/chain/connect.ts";
import { readPolicy } from "../../packages/protocol/chain/policy.ts";
import { readRpcError } from "../../packages/protocol/rpcError.ts";
import hardhatIdentity from "../../tasks/index.ts";
import { connectToNode } from "../../tasks/internal/stack/connect.ts";
import { baseFork, baseSepoliaFork } from "../../tasks/networks.ts";
import { serveAnvil } from "../fixtures/chain/anvil.ts";
import { deploy, serveChainWithRegistry, serveLocalChain } from "../fixtures/chain/localChain.ts";
import { serveProxy } from "../fixtures/chain/proxy.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { serveHttp } from "../fixtures/httpServer.ts";
import { rejection } from "../fixtures/rejection.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** The hardforks that the installed Hardhat has rules for, oldest first, as its error lists them. */
async function readHardforks(chainType: "op" | "l1"): Promise<string[]> {
  const networks = { any: { type: "edr-simulated", chainType, hardfork: "none" } } as const;
  const { message } = await rejection(createHardhatRuntimeEnvironment({ networks }));
  return /Expected ([\w| ]+)\./.exec(message)?.[1]?.split(" | ") ?? expect.fail(message);
}

describe("The configuration of a project with the plugin", () => {
  const configure = async (config: HardhatUserConfig = {}) =>
    (await createHardhatRuntimeEnvironment({ plugins: [hardhatIdentity], ...config })).config;

  it("has the local network of chain 84532 and the hardforks of that chain and of Base", async () => {
    const { networks, chainDescriptors, identity } = await configure();
    expect(networks.identityLocal).to.include({ type: "edr-simulated", chainType: "op", chainId: 84532 });
    // Canyon, Ecotone, Fjord, Granite, Holocene and Isthmus, by Optimism's registry of chains.
    const sepolia = "2023-11-14T17 2024-02-21T17 2024-05-29T16 2024-08-12T16 2024-11-26T15 2025-04-17T16";
    const base = "2024-01-11T17 2024-03-14T00 2024-07-10T16 2024-09-11T16 2025-01-09T18 2025-05-09T16";
    for (const [id, hours, second] of [
      [84532n, sepolia, 0],
      [8453n, base, 1],
    ] as const) {
      const { chainType, hardforkHistory, blockExplorers } = chainDescriptors.get(id) ?? {};
      expect(chainType).to.equal("op");
      expect(blockExplorers).to.have.property("etherscan");
      const [[genesis] = [], ...forks] = [...(hardforkHistory ?? [])];
      expect([genesis, ...forks.map(([name]) => name)].join()).to.equal(
        "regolith,canyon,ecotone,fjord,granite,holocene,isthmus",
      );
      expect(forks.map(([, from]) => Object(from).timestamp - second)).to.deep.equal(
        hours.split(" ").map((hour) => Date.parse(`${hour}:00Z`) / 1000),
      );
    }
    expect(identity).to.deep.equal({ wallet: {} });
  });

  it("has for these chains every hardfork from Regolith on that the installed Hardhat has rules for", async () => {
    const { chainDescriptors } = await configure();
    const known = await readHardforks("op");
    for (const id of [84532n, 8453n]) {
      const names = [...(chainDescriptors.get(id)?.hardforkHistory?.keys() ?? [])];
      expect(names).to.deep.equal(known.slice(known.indexOf("regolith")));
    }
  });

  it("keeps the project's own settings of these and other networks", async () => {
    const settings = { type: "edr-simulated", chainType: "l1" } as const;
    const descriptor = { name: "Mine", chainType: "op" } as const;
    const { networks, chainDescriptors, identity } = await configure({
      networks: { identityLocal: { ...settings, chainId: 7 }, other: { ...settings, chainId: 8 } },
      chainDescriptors: { 84532: descriptor, 9: descriptor },
      identity: { wallet: { maxCalls: 3 } },
    });
    expect(networks.identityLocal).to.include({ chainType: "l1", chainId: 7 });
    expect(networks.other).to.include({ chainId: 8 });
    for (const id of [84532n, 9n]) expect(chainDescriptors.get(id)).to.include({ name: "Mine" });
    expect(identity).to.deep.equal({ wallet: { maxCalls: 3 } });
  });

  it("refuses a local network that is a node: commands move its clock", async () => {
    const refused = await rejection(
      configure({ networks: { identityLocal: { type: "http", url: "http://127.0.0.1:8545" } } }),
    );
    expect(refused.message).to.include(
      'must not be of type "http": commands start this chain in their process',
    );
  });

  it("completes the project's own settings of the local network and of these chains, field by field", async () => {
    const { networks, chainDescriptors } = await configure({
      // As plain JavaScript has it, without a type.
      networks: { identityLocal: { allowUnlimitedContractSize: true } as EdrNetworkUserConfig },
      chainDescriptors: {
        84532: {
          name: "Mine",
          blockExplorers: { blockscout: { name: "Mine", url: "https://mine.example" } },
        },
        8453: { name: "Another", chainType: "l1" },
      },
    });
    expect(networks.identityLocal).to.include({
      type: "edr-simulated",
      chainType: "op",
      chainId: 84532,
      allowUnlimitedContractSize: true,
    });
    const sepolia = chainDescriptors.get(84532n);
    expect(sepolia).to.include({ name: "Mine", chainType: "op" });
    expect([...(sepolia?.hardforkHistory?.keys() ?? [])]).to.include("isthmus");
    expect(sepolia?.blockExplorers).to.have.all.keys("blockscout", "etherscan");
    expect(sepolia?.blockExplorers.blockscout).to.include({ url: "https://mine.example" });
    expect(chainDescriptors.get(8453n)).to.include({ name: "Another", chainType: "l1" });
    expect(chainDescriptors.get(8453n)?.hardforkHistory).to.equal(undefined);
  });

  it("reaches a running stack whatever the project's own networks are called and set to", async () => {
    const chain = await serveLocalChain();
    const key = `0x${"11".repeat(32)}`;
    const networks: NetworkUserConfig[] = [
      { type: "http", url: "http://127.0.0.1:9", chainId: 31_337 },
      { type: "http", url: "http://127.0.0.1:9", accounts: [key] },
      { type: "http", url: configVariable("NOWHERE_SET"), chainType: "l1" },
      { type: "edr-simulated", chainId: 5 },
    ];
    for (const localhost of networks) {
      const hre = await createHardhatRuntimeEnvironment({
        plugins: [hardhatIdentity],
        networks: { localhost, default: { type: "edr-simulated", chainType: "l1" } },
        defaultChainType: "generic",
      });
      const { provider } = await connectToNode(hre, chain.rpcUrl);
      expect(await provider.request({ method: "eth_accounts" })).to.have.length(20);
      await provider.close();
    }
  });

  it("is refused if the wallet has an unknown setting", async () => {
    const wallet = { maxCall: 3 } as object;
    const error = await rejection(configure({ identity: { wallet } }));
    expect(error.message).to.include("identity.wallet").and.include("maxCall");
  });
});

describe("A fork of a public chain", function () {
  this.timeout(60_000);

  /** A chain with a registry and a consumer, to be forked. */
  async function fixture(chainId = 84532, rules?: { chainType: "op" | "l1"; hardfork: string }) {
    const chain = await serveChainWithRegistry({ chainId, ...(rules && { rules }) });
    const program = await deploy(chain.deployer, "IncentiveProgram", [await chain.registry.getAddress()]);
    // Hardhat's own server would wait for a fork's connection when it is closed.
    const { url } = await serveProxy(chain.rpcUrl);
    const registry = await chain.registry.getAddress();
    return { ...chain, url, registry, consumer: await program.getAddress() };
  }

  let cache = "";
  beforeEach(async () => {
    cache = await temporaryFolder();
  });

  const configure = (settings: EdrNetworkUserConfig, chainDescriptors: ChainDescriptorsUserConfig = {}) =>
    createHardhatRuntimeEnvironment({
      plugins: [hardhatIdentity],
      networks: { fork: settings },
      chainDescriptors,
      paths: { cache },
    });

  async function fork(settings: EdrNetworkUserConfig, chainDescriptors?: ChainDescriptorsUserConfig) {
    const connection = await (await configure(settings, chainDescriptors)).network.create("fork");
    onCleanup(() => connection.close());
    return connection;
  }

  it("has the chain's id, state and contracts with baseSepoliaFork, from the newest block or a pinned one", async () => {
    const { url, consumer, provider } = await fixture();
    const block = await provider.getBlockNumber();
    await provider.send("hardhat_mine", ["0x5"]);
    for (const [blockNumber, expected] of [
      [undefined, block + 5],
      [block, block],
      [BigInt(block), block],
    ] as const) {
      const { provider: node, identity } = await fork(
        baseSepoliaFork(blockNumber === undefined ? { url } : { url, blockNumber }),
      );
      expect(await node.request({ method: "eth_chainId" })).to.equal("0x14a34");
      expect(Number(await node.request({ method: "eth_blockNumber" }))).to.equal(expected);
      const { policy } = await readPolicy(node, consumer);
      expect(policy.provider).to.equal("microblog");
      const [, user = ""] = (await node.request({ method: "eth_accounts" })) as string[];
      expect(await identity.mint({ consumer, user, identity: "alice" })).to.have.property("signature");
    }
  });

  it("is made of an endpoint that asks for an authorization", async () => {
    const { rpcUrl, consumer } = await fixture();
    const { url } = await serveHttp(async (request, response) => {
      if (request.headers.authorization !== "Bearer of the test") return void response.writeHead(401).end();
      const body = await text(request);
      const headers = { "content-type": "application/json" };
      const answer = await fetch(rpcUrl, { method: "POST", headers, body });
      response.writeHead(answer.status, headers).end(await answer.text());
    });
    const httpHeaders = { authorization: "Bearer of the test" };
    const { provider: node } = await fork(baseSepoliaFork({ url, httpHeaders }));
    expect((await readPolicy(node, consumer)).policy.provider).to.equal("microblog");
  });

  it("is one of Base with baseFork", async () => {
    const { url, consumer, registry } = await fixture(8453);
    const { provider: node, identity } = await fork(baseFork({ url, blockNumber: 2 }));
    expect(await node.request({ method: "eth_chainId" })).to.equal("0x2105");
    const [, user = ""] = (await node.request({ method: "eth_accounts" })) as string[];
    const minted = await identity.mint({ consumer, user, identity: "alice" });
    await identity.trust(registry);
    expect(await identity.check({ ...minted, consumer, user })).to.deep.equal({ valid: true });
  });

  for (const chainType of ["op", "l1"] as const) {
    it(`counts a person once by the rules of the newest hardfork that Hardhat knows for ${chainType}`, async () => {
      const hardfork = (await readHardforks(chainType)).at(-1) ?? "";
      const chainId = 13371;
      const { url, consumer } = await fixture(chainId, { chainType, hardfork });
      const descriptor = { name: "Newest", chainType, hardforkHistory: { [hardfork]: { blockNumber: 0 } } };
      const settings = { ...baseSepoliaFork({ url }), chainType, chainId, hardfork };
      const { provider: node, identity } = await fork(settings, { [chainId]: descriptor });
      const [, phone = "", laptop = ""] = (await node.request({ method: "eth_accounts" })) as string[];
      const { abi } = await artifacts.readArtifact("IncentiveProgram");
      const enroll = async (user: string) => {
        const { args } = await identity.mint({ consumer, user, identity: "alice" });
        const data = new Interface(abi).encodeFunctionData("enroll", args);
        return node.request({ method: "eth_sendTransaction", params: [{ from: user, to: consumer, data }] });
      };
      const params = [await enroll(phone)];
      const receipt = await node.request({ method: "eth_getTransactionReceipt", params });
      expect(receipt).to.include({ status: "0x1" });
      const { data } = readRpcError(await rejection(enroll(laptop)));
      expect(data).to.equal(id("AlreadyEnrolled()").slice(0, 10));
    });
  }

  it("caches a pinned block on disk", async () => {
    const { rpcUrl, consumer, provider } = await fixture();
    const blockNumber = await provider.getBlockNumber();
    // A block that could still be replaced is read anew.
    // One by one: of blocks that are mined at once, a fork does not know enough.
    await Promise.all(Array.from({ length: 150 }, () => provider.send("evm_mine", [])));
    const proxy = await serveProxy(rpcUrl);
    const counts = [];
    for (const _ of [1, 2]) {
      const before = proxy.countRequests();
      const { provider: node } = await fork(baseSepoliaFork({ url: proxy.url, blockNumber }));
      await readPolicy(node, consumer);
      counts.push(proxy.countRequests() - before);
    }
    expect(counts[0]).to.be.greaterThan(10);
    expect(counts[1]).to.be.lessThan(5);
  });

  const advice =
    /^The node failed to answer eth_call: No known hardfork for execution on historical block \d+ [^.]*\. In hardhat\.config\.ts, the network needs chainType: "op", /;

  it('says that chainType: "op" is missing where it is, in a test', async () => {
    const { url, consumer } = await fixture();
    for (const chainType of ["generic", "l1"] as const) {
      const { provider: node, identity } = await fork({ ...baseSepoliaFork({ url }), chainType });
      const [, user = ""] = (await node.request({ method: "eth_accounts" })) as string[];
      const error = await rejection(identity.mint({ consumer, user, identity: "alice" }));
      expect(error.message).to.match(advice);
    }
  });

  it("of a chain that the plugin does not know is an error for a caller that trusts its registry", async () => {
    const { url, registry } = await fixture(13371);
    const { identity } = await fork({ ...baseFork({ url }), chainId: 13371 });
    const { message } = await rejection(identity.trust(registry));
    expect(message).to.match(advice).and.include("need a hardforkHistory in chainDescriptors");
  });

  it("is refused where Hardhat would end the process: on a block without an OP Stack chain's fee parameters", async () => {
    const { rpcUrl } = await serveLocalChain();
    const holocene = 1_732_633_200;
    let [extraData, timestamp] = ["0x", holocene];
    const { url } = await serveProxy(rpcUrl, {
      answer(method, { result }) {
        if (method !== "eth_getBlockByNumber") return;
        Object.assign(Object(result), { extraData, timestamp: `0x${timestamp.toString(16)}` });
      },
    });
    for (extraData of ["0x", "0xffff", "0x000000000000000006", "0x02000000fa00000006"]) {
      const { message } = await rejection(fork(baseSepoliaFork({ url })));
      expect(message).to.equal(
        `The forked node is not one of an OP Stack chain: the extraData of its block 0 is ${extraData}, where such a chain has its fee parameters (Holocene). Is it an anvil? Connect to it without a fork (type: "http"), or fork the public chain.`,
      );
    }
    // Jovian's, and a block of before Holocene.
    for ([extraData, timestamp] of [
      ["0x01000000fa000000060000000000000000", holocene],
      ["0x", holocene - 1],
    ] as const) {
      const { provider: node } = await fork(baseSepoliaFork({ url }));
      expect(await node.request({ method: "evm_mine" })).to.equal("0");
    }
  });

  it("of an anvil is refused", async function () {
    const { rpcUrl } = await serveAnvil(this);
    expect((await rejection(fork(baseSepoliaFork({ url: rpcUrl })))).message).to.include("Is it an anvil?");
  });

  it("is recognized as a fork when the service reads it over HTTP", async () => {
    const { url, consumer } = await fixture();
    const { network } = await configure({ ...baseSepoliaFork({ url }), chainType: "generic" });
    const server = await network.createServer("fork", "127.0.0.1", 0);
    const { address, port } = await server.listen();
    onCleanup(() => server.close());
    const chain = connectChain({ url: `http://${address}:${port}`, chainId: 84532 });
    expect(await rejection(readPolicy(chain.open(), consumer))).to.include({ kind: "unknown-hardfork" });
  });
});
