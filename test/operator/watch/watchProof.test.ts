import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { development } from "../../../packages/protocol/development.ts";
import { openCredentialStore } from "../../../signer/index.ts";
import { deploy } from "../../fixtures/chain/localChain.ts";
import type { Answer } from "../../fixtures/chain/proxy.ts";
import { atTime, daysAgo } from "../../fixtures/passTime.ts";
import { prepareTestWatch } from "../../fixtures/signer/runningWatch.ts";
import { ownSecrets } from "../../fixtures/signer/stack.ts";
import { type EmptyDatabase, engines } from "../../fixtures/signer/stores.ts";
import { watchedRegistry } from "../../fixtures/signer/watchedRegistry.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

describe("identity-signer watch, of what it takes for proof,", function () {
  this.timeout(60_000);

  it("accounts for a claim by an entry of up to an hour before and two minutes after its block, because clocks differ", async () => {
    const secrets = ownSecrets();
    const { consumer, service, provider, forge, claim, once } = await watchedRegistry(secrets);
    const { databaseUrl } = service.config;
    const claims = [];
    const afterBlock = { "in time": 118, late: 123, "long before": -3_500 };
    for (const [name, seconds] of Object.entries(afterBlock)) {
      const verification = await forge(consumer, name);
      const { transactionHash } = await claim(consumer, verification);
      const receipt = await provider.getTransactionReceipt(transactionHash);
      const block = await provider.getBlock(receipt?.blockNumber ?? 0);
      // It is valid until the second of its block.
      const expiration = block?.timestamp ?? 0;
      claims.push({ ...verification, expiration, transactionHash, time: expiration + seconds });
    }
    for (const { identityHash, expiration, time } of claims) {
      await atTime(time * 1000, async () => {
        // A sequence's times never go back.
        const former = await openCredentialStore({
          databaseUrl,
          masterSecret: secrets.IDENTITY_MASTER_SECRET,
        });
        await former.enter({
          event: "verification-signed",
          chainId: 84532,
          consumer: String(consumer.target),
          identityHash,
          policyHash: identityHash,
          expiration,
          signer: development.signer,
          requestId: "a",
        });
        await former.close();
      });
    }
    const { found } = await once("--from-block", "1", "--signer", development.signer);
    expect(found.forged.map((each: { transactionHash: string }) => each.transactionHash)).to.deep.equal([
      claims[1]?.transactionHash,
    ]);
  });

  it("judges nothing that happened before entries were removed as too old, and says where to begin", async () => {
    const { consumer, service, forge, claim, claimHonestly, once } = await watchedRegistry();
    const { databaseUrl } = service.config;
    const open = (retention?: number) =>
      openCredentialStore({
        databaseUrl,
        masterSecret: development.masterSecret,
        ...(retention !== undefined && { audit: { retention } }),
      });
    await daysAgo(401, async () => {
      const former = await open();
      await former.endSessions();
      await former.close();
    });
    await (await open(400)).close();
    await claimHonestly(consumer);
    expect((await once("--from-block", "1")).code).to.equal(0);
    await claim(consumer, await forge(consumer, "nobody"));
    const { code, output } = await once();
    expect(code).to.equal(2);
    expect(output).to.match(
      /Entries of the audit trail from the time of block \d+ have been removed as too old/,
    );
  });

  it("takes no standby of PostgreSQL for proof, which may lack the newest entries", async () => {
    const { databaseUrl, query } = await (engines.PostgreSQL as () => Promise<EmptyDatabase>)();
    const { consumer, claimHonestly, once } = await watchedRegistry({ IDENTITY_DATABASE_URL: databaseUrl });
    await claimHonestly(consumer);
    expect((await once("--from-block", "1")).code).to.equal(0);
    // As a standby says of itself.
    await query("create function pg_is_in_recovery() returns boolean language sql as 'select true'");
    const name = new URL(databaseUrl).pathname.slice(1);
    await query(`alter database ${name} set search_path = public, pg_catalog`);
    const { code, output } = await once("--from-block", "1");
    expect(code).to.equal(2);
    expect(output).to.include("Nothing was judged: The database (IDENTITY_DATABASE_URL) is a standby, ");
  });

  it("begins nowhere if its position was altered, or is of another store", async () => {
    const [watched, other] = [await watchedRegistry(), await watchedRegistry()];
    const { once } = watched;
    const file = join(await temporaryFolder(), "position");
    expect((await once("--position-file", file)).code).to.equal(0);
    const kept = readFileSync(file, "utf8");
    const refusal = `Nothing was judged: The position in ${file} was altered, or belongs to another registry or store. Pass the first block to judge as --from-block.\n`;
    const elsewhere = await other.once("--position-file", file);
    expect([elsewhere.code, elsewhere.output]).to.deep.equal([2, refusal]);
    const { environment, registry, deployer } = watched;
    environment.IDENTITY_REGISTRY = String(
      (await deploy(deployer, "SignerRegistry", [deployer.address, []])).target,
    );
    const ofAnother = await once("--position-file", file);
    expect([ofAnother.code, ofAnother.output]).to.deep.equal([2, refusal]);
    environment.IDENTITY_REGISTRY = registry;
    const middle = Math.floor(kept.length / 2);
    const changed = kept[middle] === "A" ? "B" : "A";
    writeFileSync(file, kept.slice(0, middle) + changed + kept.slice(middle + 1));
    const altered = await once("--position-file", file);
    expect([altered.code, altered.output]).to.deep.equal([2, refusal]);
    expect((await once("--position-file", file, "--from-block", "1")).code).to.equal(0);
    expect((await once("--position-file", file)).code).to.equal(0);
  });

  it("judges nothing if the newest block is over a minute old, except on a local node", async () => {
    const old = (method: string, { result }: Answer) => {
      const block = Object(result);
      const tooOld = Math.floor(Date.now() / 1000) - 75;
      if (method === "eth_getBlockByNumber") block.timestamp = `0x${tooOld.toString(16)}`;
    };
    const lagging = await watchedRegistry(ownSecrets());
    const named = ["--from-block", "1", "--signer", development.signer];
    expect((await lagging.once(...named)).code).to.equal(0);
    lagging.proxy.behaviour = { answer: old };
    const { code, output } = await lagging.once();
    expect(code).to.equal(2);
    expect(output).to.match(
      /^Nothing was judged: The node \(IDENTITY_RPC_URL\): The node lags: its latest block \d+ is 7\d s old\.$/m,
    );
    const local = await watchedRegistry();
    local.proxy.behaviour = { answer: old };
    expect((await local.once("--from-block", "1")).code).to.equal(0);
  });

  it("judges by a clock that is ahead, and says that the clock is, not that the node lags", async () => {
    const { consumer, proxy, environment, forge, claim } = await watchedRegistry(ownSecrets());
    const from = { fromBlock: 1, readKnownSigners: async () => new Set([development.signer]) };
    await claim(consumer, await forge(consumer, "nobody"));
    // As if all others' clocks were late.
    proxy.behaviour = {
      headers: () => ({ date: new Date(Date.now() - 200_000).toUTCString() }),
      answer(method, { result }) {
        const block = Object(result);
        if (method === "eth_getBlockByNumber")
          block.timestamp = `0x${Math.floor(Date.now() / 1000 - 201).toString(16)}`;
      },
    };
    const watch = await prepareTestWatch(environment, from);
    const { forged } = await watch.once();
    expect(forged).to.have.length(1);
    const said = watch.events.filter(({ event }) => /^c/.test(event));
    expect(said.map(({ event }) => event)).to.deep.equal(["clock-ahead"]);
    expect(JSON.stringify(said)).to.match(
      /This machine's clock is 20[01] s ahead of the node's\. Synchronize it \(NTP\)\./,
    );
  });

  it("takes no block for old because the clock of a proxy before the node is ahead", async () => {
    const { proxy, environment } = await watchedRegistry(ownSecrets());
    proxy.behaviour = { headers: () => ({ date: new Date(Date.now() + 200_000).toUTCString() }) };
    const readKnownSigners = async () => new Set([development.signer]);
    const watch = await prepareTestWatch(environment, { fromBlock: 1, readKnownSigners });
    expect((await watch.once()).forged).to.deep.equal([]);
  });

  it("waits for no proof of a claim whose block a reorganization took away", async () => {
    const { consumer, proxy, provider, environment, forge, claim } = await watchedRegistry();
    const consumers = new Set([String(consumer.target)]);
    const watch = await prepareTestWatch(environment, { consumers });
    const before = await provider.send("evm_snapshot", []);
    await claim(consumer, await forge(consumer, "nobody"));
    let asked = 0;
    proxy.behaviour = {
      instead: ({ method }) =>
        /^eth_getTransaction(ByHash|Receipt)$/.test(method) && asked++ >= 0 ? { result: null } : undefined,
    };
    const judged = watch.once();
    while (asked === 0) await delay(50);
    await provider.send("evm_revert", [before]);
    await provider.send("hardhat_mine", ["0x3"]);
    expect((await judged).forged).to.deep.equal([]);
  });
});
