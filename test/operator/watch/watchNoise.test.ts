import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { type Contract, dataSlice, getAddress, id, toBeHex, Wallet } from "ethers";
import { development } from "../../../packages/protocol/development.ts";
import type { Hex } from "../../../packages/protocol/hex.ts";
import type { AuditEvent } from "../../../packages/store/audit/auditEntry.ts";
import { openCredentialStore } from "../../../signer/index.ts";
import type { Answer } from "../../fixtures/chain/proxy.ts";
import { findFreePort } from "../../fixtures/freePort.ts";
import { serveHttp } from "../../fixtures/httpServer.ts";
import { brakedRegistry, mustBeFoundMs, patienceMs } from "../../fixtures/signer/brakedRegistry.ts";
import { deployDecoy, hideSignature } from "../../fixtures/signer/decoys.ts";
import { prepareTestWatch, runTestWatch } from "../../fixtures/signer/runningWatch.ts";
import { watchedRegistry } from "../../fixtures/signer/watchedRegistry.ts";

describe("identity-signer watch, amid what others do,", function () {
  this.timeout(120_000);
  let watched: Awaited<ReturnType<typeof brakedRegistry>>;

  before(async () => {
    watched = await brakedRegistry();
  });
  beforeEach(async () => await watched.restore());

  it("goes on after a transaction with ten thousand events of anybody's, and brakes the forged claim in its block", async () => {
    const { deployer, provider } = watched;
    const spam = await deployDecoy(deployer);
    const watching = await runTestWatch(watched.environment, { brake: true });
    const verification = await watched.forge(watched.consumer, "nobody");
    const pending = await watched.inOneBlock(
      () => spam.emit(9_900),
      () => watched.submit(verification),
    );
    expect((await provider.getTransactionReceipt(pending[0]?.hash ?? ""))?.status).to.equal(1);
    expect(await watched.untilBraked(watching)).to.be.below(mustBeFoundMs);
    expect(watching.of("forged").map(({ finding }) => finding.signer)).to.deep.equal([development.signer]);
    expect(watching.of("cannot-judge")).to.deep.equal([]);
  });

  it("asks for the events of known consumers where a block has too many for one answer, and goes on", async () => {
    const { deployer, proxy } = watched;
    const spam = await deployDecoy(deployer);
    await watched.claimHonestly(watched.consumer);
    proxy.behaviour = {
      async answer(method: string, answer: Answer) {
        const isMany = method === "eth_getLogs" && Array.isArray(answer.result) && answer.result.length > 50;
        if (!isMany && method !== "eth_getBlockReceipts") return;
        answer.result = undefined;
        answer.error = { code: -32005, message: "query returned more than 50 results" };
      },
    };
    const watching = await runTestWatch(watched.environment, { brake: true });
    await (await spam.emit(60)).wait();
    await watched.forgeClaim();
    expect(await watched.untilBraked(watching)).to.be.below(mustBeFoundMs);
    expect(watching.of("cannot-judge")).to.deep.equal([]);
  });

  it("brakes a forged claim while decoys look like thousands of signatures, and answers for its metrics", async () => {
    const { deployer, consumer, provider } = watched;
    const port = String(await findFreePort());
    const decoy = await deployDecoy(deployer, String(consumer.target));
    const watching = await runTestWatch(
      { ...watched.environment, IDENTITY_METRICS_PORT: port },
      { brake: true },
    );
    const later = (await provider.getBlock("latest"))?.timestamp ?? 0;
    const junk = `${(later + 9_000).toString(16).padStart(64, "0")}${"1b".repeat(1_100)}`;
    await (await decoy.emit(60, junk)).wait();
    await delay(1_500);
    await watched.forgeClaim();
    const asked = Date.now();
    await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(Date.now() - asked).to.be.below(2_000);
    expect(await watched.untilBraked(watching)).to.be.below(mustBeFoundMs);
    expect(watching.of("judged-in-part").flatMap(({ addresses }) => addresses)).to.include(decoy.address);
  });

  it("tells a forged claim that ten thousand decoys follow, and removes its signer", async () => {
    const { deployer, consumer, provider } = watched;
    const decoy = await deployDecoy(deployer, String(consumer.target));
    const from = (await provider.getBlockNumber()) + 1;
    const { transactionHash } = await watched.forgeClaim();
    for (let i = 0; i < 3; i++) await (await decoy.emit(3_400)).wait();
    const watch = await prepareTestWatch(watched.environment, { brake: true, fromBlock: from });
    const { forged } = await watch.once();
    expect(forged.map((each) => each.transactionHash)).to.deep.equal([transactionHash]);
    expect(await watched.isSigner()).to.equal(false);
  });

  it("brakes and posts a forged claim in time though a contract for which the service signed emits thousands of events", async () => {
    const posted: Record<string, string>[] = [];
    const { url } = await serveHttp(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      posted.push(JSON.parse(text));
      await delay(20);
      response.writeHead(204).end();
    });
    const decoy = await watched.deployKnownDecoy();
    await watched.claimHonestly(watched.consumer);
    const watching = await runTestWatch(
      { ...watched.environment, IDENTITY_WATCH_WEBHOOK: url },
      { brake: true },
    );
    const later = (await watched.provider.getBlock("latest"))?.timestamp ?? 0;
    const junk = `${(later + 9_000).toString(16).padStart(64, "0")}${"1b".repeat(1_100)}`;
    for (let i = 0; i < 20; i++) await (await decoy.emit(1, junk)).wait();
    await (await decoy.emit(3_400)).wait();
    await delay(1_500);
    await watched.forgeClaim();
    expect(await watched.untilBraked(watching)).to.be.below(mustBeFoundMs);
    await delay(3_000);
    expect(posted.map(({ signer }) => signer)).to.include(development.signer);
  });

  it("names a forged claim in the block that adds a signer, at a consumer for which the service has signed since", async () => {
    const watching = await runTestWatch(watched.environment);
    await watching.waitFor("watching");
    await watched.requestFor(await watched.addWallet(), String(watched.consumer.target));
    const verification = await watched.forge(watched.consumer, "nobody");
    const own = watched.registryContract.connect(watched.guardian) as Contract;
    const stranger = Wallet.createRandom().address;
    await watched.inOneBlock(
      () => own.getFunction("addSigner")(stranger, { gasLimit: 200_000 }),
      () => watched.submit(verification),
    );
    await watching.waitFor("stranger", patienceMs);
    await watching.waitFor("forged", mustBeFoundMs);
    expect(watching.of("forged").map(({ finding }) => finding.signer)).to.deep.equal([development.signer]);
  });

  it("names the signer of a claim whose call data hides the signature among what looks like it", async () => {
    const { consumer, account } = watched;
    const verification = await watched.forge(consumer, "nobody");
    const { identityHash, expiration, signature } = verification;
    const plain = consumer.interface.encodeFunctionData("enroll", [identityHash, expiration, signature]);
    const data = hideSignature(plain, verification);
    await (await account.sendTransaction({ to: consumer.target, data })).wait();
    const watch = await prepareTestWatch(watched.environment, { fromBlock: 1 });
    const { forged } = await watch.once();
    expect(forged.map(({ signer }) => signer)).to.deep.equal([development.signer]);
  });

  it("pages nobody for a claim without a signature at a contract that nobody knows", async () => {
    const { deployer, consumer } = watched;
    const port = String(await findFreePort());
    const decoy = await deployDecoy(deployer, String(consumer.target));
    const watching = await runTestWatch(
      { ...watched.environment, IDENTITY_METRICS_PORT: port },
      { brake: true },
    );
    await (await decoy.emit(1)).wait();
    await watching.waitFor("unproven", patienceMs);
    await delay(300);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).to.match(/^identity_watch_forged_claims 0$/m);
    expect(metrics).to.match(/^identity_watch_unproven_claims 1$/m);
    expect(await watched.isSigner()).to.equal(true);
    expect(watching.of("forged")).to.deep.equal([]);
  });

  it("judges once in spite of an event whose contract has no code, which nothing can prove", async () => {
    const { deployer } = watched;
    const topic = id("IdentityUsed(bytes32,bytes32)").slice(2);
    // Emitted while a contract without code is created.
    await (await deployer.sendTransaction({ data: `0x600760007f${topic}60006000a300` })).wait();
    const { transactionHash } = await watched.forgeClaim();
    const watch = await prepareTestWatch(watched.environment, { fromBlock: 1 });
    const { forged, isSaved } = await watch.once();
    expect([forged.map((each) => each.transactionHash), isSaved]).to.deep.equal([[transactionHash], true]);
  });

  it("takes no signer for unknown that a service has begun to use a moment ago", async () => {
    const watching = await runTestWatch(watched.environment);
    const [own, stranger] = [Wallet.createRandom().address, Wallet.createRandom().address];
    await watched.store.enter({ event: "signer-used", chainId: 84532, signer: own });
    const registry = watched.registryContract.connect(watched.guardian) as Contract;
    for (const signer of [own, stranger]) await (await registry.getFunction("addSigner")(signer)).wait();
    await watching.waitFor("stranger", patienceMs);
    expect(watching.of("stranger").map(({ finding }) => finding.signer)).to.deep.equal([stranger]);
  });

  it("judges the claims of the last of more consumers than it asks for at once", async () => {
    const named = Array.from({ length: 500 }, (_, i) => getAddress(toBeHex(i + 1, 20)));
    const { transactionHash } = await watched.forgeClaim();
    const consumers = new Set(named.concat(String(watched.consumer.target)));
    const watch = await prepareTestWatch(watched.environment, { fromBlock: 1, consumers });
    const { forged } = await watch.once();
    expect(forged.map((each) => each.transactionHash)).to.deep.equal([transactionHash]);
  });

  it("judges the claims of the first named consumers before it asks for those of five hundred others", async () => {
    const other = await watchedRegistry();
    const named = String(other.consumer.target);
    const others = Array.from({ length: 500 }, (_, index) => getAddress(toBeHex(index + 1, 20)));
    other.proxy.behaviour = {
      // Whenever it is asked for some of the others alone.
      instead({ method, params }) {
        const { address = [named] } = Object(Object(params)[0]);
        if (method !== "eth_getLogs" || address.some((each: string) => each === named)) return undefined;
        return { error: { code: -32000, message: "The node is busy." } };
      },
    };
    const watching = await runTestWatch(other.environment, { consumers: new Set([named, ...others]) });
    await other.claim(other.consumer, await other.forge(other.consumer, "nobody"));
    await watching.waitFor("forged", patienceMs);
  });

  it("tells and counts a forged claim though its position cannot be kept, and says so once", async () => {
    const port = String(await findFreePort());
    const watching = await runTestWatch({ ...watched.environment, IDENTITY_METRICS_PORT: port });
    await rm(dirname(watching.positionFile), { recursive: true });
    await watched.forgeClaim();
    await watching.waitFor("forged", patienceMs);
    await watching.waitFor("cannot-save", patienceMs);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).to.match(/^identity_watch_forged_claims 1$/m);
    await delay(2_500);
    expect([watching.of("forged").length, watching.of("cannot-save").length]).to.deep.equal([1, 1]);
  });

  /** Has the service sign for contracts, which are known then. */
  async function makeKnown({ service }: typeof watched, contracts: readonly string[]) {
    const { databaseUrl } = service.config;
    const { masterSecret, signer } = development;
    const store = await openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 });
    const entryFor = (consumer: string): AuditEvent => ({
      event: "verification-signed",
      chainId: 84532,
      consumer,
      identityHash: id("somebody") as Hex,
      policyHash: id("policy") as Hex,
      expiration: 1,
      signer,
      requestId: "a",
    });
    await store.enter(...contracts.map(entryFor));
    await store.close();
  }

  it("asks for the events of five hundred known contracts at most, and still names a forged claim at another", async () => {
    const other = await brakedRegistry();
    const { proxy, provider } = other;
    await other.claimHonestly(other.consumer);
    const nameOf = (_: unknown, index: number) => getAddress(dataSlice(id(`contract ${index}`), 0, 20));
    await makeKnown(other, Array.from({ length: 1_200 }, nameOf));
    const addresses: number[] = [];
    proxy.behaviour = {
      rewrite(call) {
        const { address } = Object(call.params?.[0]);
        if (call.method === "eth_getLogs" && address !== undefined) addresses.push(address.length);
        return call;
      },
    };
    const watching = await runTestWatch(other.environment);
    await provider.send("evm_mine", []);
    await delay(2_500);
    expect(watching.of("judged-in-part")).to.deep.equal([]);
    await other.forgeClaim();
    expect((await watching.waitFor("forged", mustBeFoundMs)).length).to.equal(1);
    expect(watching.of("forged")[0]?.finding.signer).to.equal(development.signer);
    await watching.waitFor("judged-in-part", patienceMs);
    const [part] = watching.of("judged-in-part");
    expect(part?.addresses).to.deep.equal([other.consumer.target]);
    await watching.stop();
    expect(Math.max(...addresses)).to.be.within(400, 500);
    const queries = proxy.batches.map((batch) => batch.filter((method) => method === "eth_getLogs").length);
    expect(Math.max(...queries)).to.equal(2);
  });

  it("brakes a forged claim in time though forty contracts for which the service signed look like thousands of signatures", async () => {
    const { consumer, provider } = watched;
    const attacker = await provider.getSigner(6);
    const decoys = [];
    for (let i = 0; i < 40; i++) decoys.push(await deployDecoy(attacker, String(consumer.target)));
    await watched.claimHonestly(consumer);
    await makeKnown(
      watched,
      decoys.map(({ address }) => getAddress(address)),
    );
    const watching = await runTestWatch(watched.environment, { brake: true });
    const later = (await provider.getBlock("latest"))?.timestamp ?? 0;
    const times = Array.from({ length: 10 }, (_, i) => (later + 9_000 + i).toString(16).padStart(64, "0"));
    const junk = `${times.join("")}${"1b".repeat(1_100)}`;
    const verification = await watched.forge(consumer, "nobody");
    await watched.inOneBlock(...decoys.map((decoy) => () => decoy.emit(1, junk)), () =>
      watched.submit(verification),
    );
    expect(await watched.untilBraked(watching)).to.be.below(mustBeFoundMs);
  });
});
