import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Artifact } from "@nomicfoundation/ignition-core";
import { expect } from "chai";
import {
  Contract,
  ContractFactory,
  hexlify,
  id,
  JsonRpcProvider,
  type JsonRpcSigner,
  randomBytes,
  toQuantity,
  Wallet,
} from "ethers";
import type { Context } from "mocha";
import { readArtifact, readOpenZeppelinArtifact } from "../../../ignition/artifacts.ts";
import { development } from "../../../packages/protocol/development.ts";
import type { Hex } from "../../../packages/protocol/hex.ts";
import { serveAnvil } from "../../fixtures/chain/anvil.ts";
import { deploy, serveChainWithRegistry, serveLocalChain } from "../../fixtures/chain/localChain.ts";
import { type Behaviour, serveProxy } from "../../fixtures/chain/proxy.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { ignitionProject } from "../../fixtures/ignition/ignition.ts";
import { deployDecoy, hideSignature } from "../../fixtures/signer/decoys.ts";
import { createTwoKeys } from "../../fixtures/signer/rotation.ts";
import { runTestWatch } from "../../fixtures/signer/runningWatch.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { type Chain, ownSecrets, startStack } from "../../fixtures/signer/stack.ts";
import { forgeVerification, safeAt, watchedRegistry } from "../../fixtures/signer/watchedRegistry.ts";
import { runIdentitySignerProcess, spawnIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const day = 86_400;

/** Deploys the module `GuardedRegistry` with Ignition. */
async function deployGuarded(rpcUrl: string, deployer: JsonRpcSigner, parameters: object) {
  const project = await ignitionProject();
  const { code, stderr } = await project.deploy("GuardedRegistry", {
    rpcUrl,
    parameters: { GuardedRegistry: parameters },
  });
  expect(code, stderr).to.equal(0);
  const addresses = await project.addresses();
  const at = (name: string, { abi }: Pick<Artifact, "abi">) =>
    new Contract(addresses[`GuardedRegistry#${name}`] ?? "", abi, deployer);
  return {
    manager: at("AccessManager", readOpenZeppelinArtifact("AccessManager")),
    registry: at("SignerRegistry", readArtifact("SignerRegistry")),
  };
}

describe("A registry that is watched and braked", function () {
  this.timeout(600_000);

  it("names 45 forged claims and a stranger among 500 honest ones, and refuses the stolen key within two blocks", async () => {
    const { first, next, secrets } = createTwoKeys();
    // A day late, because that is how long the next signer waits.
    const { rpcUrl, provider } = await serveLocalChain({ late: day + 5 });
    const send = (method: string, ...params: unknown[]) => provider.send(method, params);
    const mine = () => send("evm_mine");
    const [deployer, multisig] = [await provider.getSigner(0), await provider.getSigner(1)];
    const guardian = Wallet.createRandom(provider);
    await (await deployer.sendTransaction({ to: guardian.address, value: 10n ** 18n })).wait();
    const { manager, registry } = await deployGuarded(rpcUrl, deployer, {
      owner: multisig.address,
      signers: [development.signer, first.address],
      watcher: guardian.address,
      guardian1: guardian.address,
      guardian2: guardian.address,
    });
    const own = registry.interface;
    /** A call of the registry through its manager, by the multisig. */
    const govern = async (by: "schedule" | "execute", name: string, argument: string) => {
      const args = [registry.target, own.encodeFunctionData(name, [argument])];
      const method = (manager.connect(multisig) as Contract).getFunction(by);
      await (await method(...args, ...(by === "schedule" ? [0] : []))).wait();
    };
    await govern("schedule", "addSigner", next.address);
    await send("evm_increaseTime", day);
    await mine();

    const stack = await startStack(secrets, { rpcUrl, provider, deployer, registry });
    const { registryContract, store, url } = stack;
    const plain = await stack.deployConsumer();
    const conditions = [{ name: "followers", op: "gt", value: "1000" }];
    const policy = plain.interface.encodeFunctionData("setPolicy", ["microblog", conditions]);
    const { abi, bytecode } = readOpenZeppelinArtifact("ERC1967Proxy");
    const proxy = await new ContractFactory(abi, bytecode, deployer).deploy(plain.target, policy);
    const { target: proxied } = await proxy.waitForDeployment();
    const behind = plain.attach(proxied) as Contract;
    const batched = await stack.deployConsumer();

    const accounts = (await stack.wallet.request({ method: "eth_accounts" })) as string[];
    const users = accounts.slice(2);
    let people = 0;
    /** Has a new person prove an account with a node's wallet, and ask. */
    async function ask(user: string, consumer: Contract, followers = "1200") {
      const credential = { wallet: user, provider: "microblog", accountId: String(people++) };
      const authenticatedAt = Math.floor(Date.now() / 1000);
      await store.set({ ...credential, traits: { followers }, authenticatedAt });
      const signer = await provider.getSigner(user);
      const answer = await requestVerification(url, await signedRequest(signer, String(consumer.target)));
      expect(answer.status, JSON.stringify(answer.body)).to.equal(followers === "1" ? 400 : 200);
      return answer;
    }
    const claimCall = (
      consumer: Contract,
      verification: { identityHash: string; expiration: number; signature: string },
    ) =>
      consumer.interface.encodeFunctionData("enroll", [
        verification.identityHash,
        verification.expiration,
        verification.signature,
      ]);
    const submit = (from: string, consumer: Contract, data: string): Promise<string> =>
      send("eth_sendTransaction", { from, to: consumer.target, data, gas: "0x7a120" });
    /** Claims of honest people, one of each wallet in a block, of whom each must have been admitted. */
    async function claimHonestly(count: number, consumers: readonly Contract[]) {
      for (let done = 0; done < count; done += users.length) {
        const block = users.slice(0, count - done).map(async (user, i) => {
          const consumer = consumers[i % consumers.length] ?? plain;
          const { body } = await ask(user, consumer);
          return await submit(user, consumer, claimCall(consumer, body));
        });
        const hashes = await Promise.all(block);
        await mine();
        const receipts = await Promise.all(hashes.map((hash) => provider.getTransactionReceipt(hash)));
        expect(receipts.map((receipt) => receipt?.status)).to.deep.equal(hashes.map(() => 1));
      }
    }

    let safe = await provider.getBlockNumber();
    const node = await serveProxy(
      stack.rpcUrl,
      safeAt(() => safe),
    );
    const environment = {
      IDENTITY_RPC_URL: node.url,
      IDENTITY_REGISTRY: stack.registry,
      IDENTITY_DATABASE_URL: stack.service.config.databaseUrl,
      IDENTITY_MASTER_SECRET: stack.service.config.masterSecret,
      IDENTITY_GUARDIAN_KEY: guardian.privateKey,
    };
    const told: { event: string; transactionHash?: string; signer?: string }[] = [];
    const position = join(await temporaryFolder(), "position");
    const braking = ["watch", "--json", "--brake", "--service", url, "--position-file", position];
    const start = () => spawnIdentitySigner(braking, environment);
    async function kill(watching: ReturnType<typeof start>) {
      await watching.stop("SIGKILL");
      const lines = watching.output().split("\n");
      told.push(...lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line)));
    }
    let watching = start();
    await watching.waitFor(/"watching"/);

    await send("evm_setAutomine", false);
    await claimHonestly(10, [plain, behind]);
    await send("evm_setAutomine", true);
    await govern("execute", "addSigner", next.address);
    await govern("execute", "removeSigner", first.address);
    // For a second, the service may sign by what it has read of a consumer that many ask about.
    await delay(2_000);
    for (let i = 0; i < 10; i++) {
      const user = users[i] ?? "";
      const { body } = await ask(user, batched);
      const calls = [
        { to: user, value: "0x0" },
        { to: batched.target, value: "0x0", data: claimCall(batched, body) },
      ];
      const batch = { version: "2.0.0", chainId: "0x14a34", from: user, atomicRequired: true, calls };
      await stack.wallet.request({ method: "wallet_sendCalls", params: [batch] });
    }
    await send("evm_setAutomine", false);
    const expired: Hex[] = [];
    for (const user of users.slice(0, 5)) expired.push((await ask(user, plain)).body.identityHash);
    await claimHonestly(240, [plain, behind]);
    await kill(watching);
    safe = await provider.getBlockNumber();
    watching = start();
    const snapshot = await send("evm_snapshot");
    await claimHonestly(20, [plain, behind]);
    await delay(2_000);
    await send("evm_revert", snapshot);
    await claimHonestly(240, [plain, behind]);
    for (const user of users.slice(0, 5)) {
      for (let i = 0; i < 10; i++) await ask(user, plain, "1");
    }

    // The thief: everything in one block, once the entries of five people have expired.
    await send("evm_increaseTime", 400);
    await mine();
    const expiration = ((await provider.getBlock("latest"))?.timestamp ?? 0) + 3_000;
    const forge = async (user: string, consumer: Contract, identityHash: Hex) =>
      claimCall(
        consumer,
        await forgeVerification(registryContract, {
          consumer: String(consumer.target),
          user,
          identityHash,
          expiration,
          signingKey: next.privateKey,
        }),
      );
    const hashes = [...Array.from({ length: 40 }, () => hexlify(randomBytes(32)) as Hex), ...expired];
    const forged: string[] = [];
    for (const [i, identityHash] of hashes.entries()) {
      const [user = "", consumer = plain] = [
        users[i % users.length],
        i < 40 ? [plain, behind, batched][i % 3] : plain,
      ];
      forged.push(await submit(user, consumer, await forge(user, consumer, identityHash)));
    }
    const [late = ""] = users;
    const lateClaim = await forge(late, plain, id("late") as Hex);
    const forgedIn = (await provider.getBlockNumber()) + 1;
    await mine();
    await watching.waitFor(/"brake-sent"/);
    await mine();
    expect([...(await registryContract.getFunction("signers")())]).to.deep.equal([development.signer]);
    expect(await provider.getBlockNumber()).to.be.at.most(forgedIn + 2);
    const receipts = await Promise.all(forged.map((hash) => provider.getTransactionReceipt(hash)));
    expect(receipts.map((receipt) => receipt?.status)).to.deep.equal(forged.map(() => 1));
    const refusal = await provider
      .call({ to: plain.target, from: late, data: lateClaim })
      .catch((error) => String(error.data));
    expect(own.parseError(refusal)?.name).to.equal("NotSigner");

    await send("evm_setAutomine", true);
    const guarded = manager.connect(guardian) as Contract;
    const stranger = Wallet.createRandom();
    for (const [name, argument] of [
      ["addSigner", stranger.address],
      ["transferOwnership", guardian.address],
    ] as const) {
      const data = own.encodeFunctionData(name, [argument]);
      const failed = await guarded
        .getFunction("execute")
        .staticCall(registryContract.target, data)
        .catch(({ data }) => manager.interface.parseError(String(data))?.name);
      expect(failed, name).to.equal("AccessManagerUnauthorizedCall");
    }
    await govern("schedule", "addSigner", stranger.address);
    await send("evm_increaseTime", day);
    await govern("execute", "addSigner", stranger.address);
    await watching.waitFor(/"stranger"/);
    await delay(3_000);
    await kill(watching);
    watching = start();
    await watching.waitFor(/"watching"/);
    await delay(4_000);
    await kill(watching);

    const of = (event: string) => told.filter((each) => each.event === event);
    expect(of("forged").map(({ transactionHash }) => transactionHash)).to.have.members(forged);
    expect(new Set(of("forged").map(({ signer }) => signer))).to.deep.equal(new Set([next.address]));
    expect(of("stranger").map(({ signer }) => signer)).to.deep.equal([stranger.address]);
    expect([...of("undone"), ...of("cannot-judge")]).to.deep.equal([]);
    const file = join(await temporaryFolder(), "position");
    const named = ["--signer", development.signer, "--position-file", file];
    const args = ["watch", "--once", "--json", "--from-block", "1", ...named];
    const { code, stdout } = await runIdentitySignerProcess(args, environment);
    const found = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect([code, found.strangers.length]).to.deep.equal([1, 1]);
    const hashesFound = found.forged.map((each: { transactionHash: string }) => each.transactionHash);
    expect(hashesFound).to.have.members(forged);
    expect(toQuantity(found.from)).to.equal("0x1");
  });

  it("loses at most as many admissions as VerifyPaced allows, and names exactly these", async () => {
    const { consumer, deployer, registry, provider, registryContract, claimHonestly, once } =
      await watchedRegistry();
    const paced = (await deploy(deployer, "PacedConsumer", [registry])) as Contract;
    const [most] = await paced.getFunction("pace")();
    await claimHonestly(consumer);
    const accounts = (await provider.send("eth_accounts", [])) as string[];
    const expiration = ((await provider.getBlock("latest"))?.timestamp ?? 0) + 300;
    await provider.send("evm_setAutomine", [false]);
    const sent: string[] = [];
    for (const from of accounts.slice(0, 10)) {
      const forged = await forgeVerification(registryContract, {
        consumer: String(paced.target),
        user: from,
        identityHash: hexlify(randomBytes(32)) as Hex,
        expiration,
        signingKey: development.signingKey,
      });
      const { identityHash, signature } = forged;
      const data = paced.interface.encodeFunctionData("enroll", [identityHash, expiration, signature]);
      const transaction = { from, to: paced.target, data, gas: "0x7a120" };
      sent.push(await provider.send("eth_sendTransaction", [transaction]));
    }
    await provider.send("evm_mine", []);
    await provider.send("evm_setAutomine", [true]);
    const receipts = await Promise.all(sent.map((hash) => provider.getTransactionReceipt(hash)));
    const admitted = receipts.filter((receipt) => receipt?.status === 1).map((receipt) => receipt?.hash);
    expect(admitted).to.have.length(Number(most));
    const { found } = await once("--from-block", "1");
    const named = found.forged.map((each: { transactionHash: string }) => each.transactionHash);
    expect(named).to.deep.equal(admitted);
  });
});

/** A chain of anvil's, with a registry that has the development signer on its allowlist. */
async function serveAnvilWithRegistry(context: Context): Promise<Chain> {
  const { rpcUrl } = await serveAnvil(context);
  const provider = new JsonRpcProvider(rpcUrl, 84532, {
    staticNetwork: true,
    cacheTimeout: -1,
    batchMaxCount: 1,
  });
  onCleanup(async () => provider.destroy());
  const deployer = await provider.getSigner(0);
  const registry = await deploy(deployer, "SignerRegistry", [deployer.address, [development.signer]]);
  return { rpcUrl, provider, deployer, registry: registry as Contract };
}

/** A node of a small plan, behind a balancer of which a part lags and forgets. */
function strain(): Behaviour {
  let asked = 0;
  let sent: number[] = [];
  return {
    refuse(calls) {
      sent = sent.filter((at) => Date.now() - at < 1_000);
      if (calls.length > 10) return { status: 413 };
      if (sent.length + calls.length > 60) return { status: 429, headers: { "retry-after": "1" } };
      for (const _ of calls) sent.push(Date.now());
      return undefined;
    },
    instead({ method, params }) {
      const { fromBlock, toBlock } = Object(params?.[0]);
      if (method === "eth_getLogs" && Number(toBlock) - Number(fromBlock) >= 10)
        return { error: { code: -32600, message: "eth_getLogs is limited to a 10 block range" } };
      if (/^eth_getTransactionBy/.test(method) && asked++ < 2) return { result: null };
      const isPast = method === "eth_call" && params?.[1] !== "latest";
      if (isPast && asked++ % 5 === 0)
        return { error: { code: -32000, message: "missing trie node: historical state is not available" } };
      return undefined;
    },
    answer(method, answer) {
      const isMany = method === "eth_getLogs" && Array.isArray(answer.result) && answer.result.length > 4_000;
      if (!isMany) return;
      answer.result = undefined;
      answer.error = { code: -32005, message: "query returned more than 4000 results" };
    },
  };
}

for (const node of ["Hardhat's node", "anvil"]) {
  describe(`A leak on ${node}, behind a plan that limits, lags and forgets, amid ten thousand decoys,`, function () {
    this.timeout(300_000);

    it("is named and braked within ten seconds of its block, and the spare signer takes over", async function () {
      const chain =
        node === "anvil" ? await serveAnvilWithRegistry(this as never) : await serveChainWithRegistry();
      const secrets = ownSecrets();
      const watched = await watchedRegistry(secrets, chain);
      const { provider, deployer, registryContract, consumer, account } = watched;
      const leaked = watched.service.signer;
      await (await registryContract.getFunction("addSigner")(leaked)).wait();
      const guardian = Wallet.createRandom().connect(provider);
      await (await deployer.sendTransaction({ to: guardian.address, value: 10n ** 18n })).wait();
      await (await registryContract.getFunction("transferOwnership")(guardian.address)).wait();
      const own = registryContract.connect(guardian) as Contract;
      await (await own.getFunction("acceptOwnership")()).wait();
      await watched.claimHonestly(consumer);
      const decoy = await deployDecoy(deployer, String(consumer.target));
      const spam = await deployDecoy(deployer);

      const spare = Wallet.createRandom();
      const environment = { ...watched.environment, IDENTITY_GUARDIAN_KEY: guardian.privateKey };
      const watching = await runTestWatch(environment, {
        brake: true,
        readKnownSigners: async () => new Set([spare.address]),
      });
      await delay(2_000);
      watched.proxy.behaviour = strain();
      const { identityHash, expiration, signature } = await watched.forge(consumer, "nobody", {
        signingKey: secrets.IDENTITY_SIGNING_KEY,
      });
      const plain = consumer.interface.encodeFunctionData("enroll", [identityHash, expiration, signature]);
      const data = hideSignature(plain, { expiration });
      for (let i = 0; i < 3; i++) await (await decoy.emit(3_400)).wait();
      await provider.send("evm_setAutomine", [false]);
      await spam.emit(9_000);
      const claimed = await account.sendTransaction({ to: consumer.target, data, gasLimit: 500_000 });
      await provider.send("evm_mine", []);
      await provider.send("evm_setAutomine", [true]);
      const mined = Date.now();
      const junk = `${(expiration + 9_000).toString(16).padStart(64, "0")}${"1b".repeat(1_100)}`;
      await (await decoy.emit(60, junk)).wait();
      for (let i = 0; i < 3; i++) await (await decoy.emit(3_400)).wait();
      await watching.waitFor("brake-sent", 60_000);
      expect(Date.now() - mined).to.be.below(10_000);
      await watching.waitFor("forged", 60_000);
      const [{ finding } = { finding: undefined }] = watching.of("forged");
      expect([finding?.transactionHash, finding?.signer]).to.deep.equal([claimed.hash, leaked]);
      await watching.waitFor("removed", 60_000);
      expect(await registryContract.getFunction("isSigner")(leaked)).to.equal(false);

      await (await own.getFunction("addSigner")(spare.address)).wait();
      const recovered = await watched.startReplica({ IDENTITY_SIGNING_KEY: spare.privateKey });
      const wallet = await watched.addWallet();
      const { status, body } = await requestVerification(
        recovered.url,
        await signedRequest(wallet, String(consumer.target)),
      );
      expect(status, JSON.stringify(body)).to.equal(200);
      await watched.enroll(consumer, wallet, body);
      await delay(6_000);
      expect(watching.of("forged").map(({ finding }) => finding.signer)).to.deep.equal([leaked]);
      expect(watching.of("stranger")).to.deep.equal([]);
    });
  });
}
