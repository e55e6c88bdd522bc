import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { hexlify, randomBytes } from "ethers";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { passTime } from "../../fixtures/passTime.ts";
import {
  type PostgresServer,
  sharedPostgres,
  startPostgres,
  withClient,
} from "../../fixtures/signer/postgres.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { serveVerifyPage, startStack } from "../../fixtures/signer/stack.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";

describe("Limits of several replicas on one PostgreSQL", function () {
  this.timeout(60_000);

  async function startReplicas(env: Record<string, string>, server?: PostgresServer) {
    const databaseUrl = await (server ?? (await sharedPostgres())).createDatabase();
    const stack = await startStack({
      IDENTITY_DATABASE_URL: databaseUrl,
      IDENTITY_TRUST_PROXY: "1",
      ...env,
    });
    const other = await startTestSigner(stack.environment);
    const urls = [stack.url, other.url];
    /** Asks a replica for what is refused at once, unless it is too much. */
    const ask = (replica: number, client = "192.0.2.1") =>
      fetch(`${urls[replica % urls.length]}/v1/onchain_verifications`, {
        method: "POST",
        headers: { "x-forwarded-for": client },
        body: "{}",
      });
    const query = (text: string) =>
      withClient(databaseUrl, async (client) => (await client.query(text)).rows);
    /** How often a replica has exchanged counts with the store. */
    async function countExchanges(replica: number): Promise<number> {
      const text = await (await fetch(`${urls[replica]}/metrics`)).text();
      const [, count = "0"] =
        /duration_seconds_count\{operation="countRequests",.*\} (\d+)$/m.exec(text) ?? [];
      return Number(count);
    }
    return { stack, other, urls, ask, query, countExchanges };
  }

  const countAnswered = (answers: readonly { status: number }[]) =>
    answers.filter(({ status }) => status !== 429).length;

  const orders: Record<string, (index: number) => number> = {
    "in turn": (index) => index,
    "one after the other": (index) => Number(index >= 40),
    unevenly: (index) => Number(index % 7 === 0),
  };

  for (const [name, replicaOf] of Object.entries(orders)) {
    it(`hold for a client of all together, but for a tenth for each, asked ${name}`, async () => {
      const { ask } = await startReplicas({ IDENTITY_RATE_LIMIT: "40" });
      const answers = [];
      for (let i = 0; i < 90; i++) answers.push(await ask(replicaOf(i)));
      expect(countAnswered(answers)).to.be.within(40, 48);
      expect((await ask(0, "192.0.2.2")).status).to.equal(415);
    });
  }

  it("hold when all comes at once", async () => {
    const { ask } = await startReplicas({ IDENTITY_RATE_LIMIT: "40" });
    const answers = await Promise.all(Array.from({ length: 120 }, (_, index) => ask(index)));
    expect(countAnswered(answers)).to.be.within(40, 48);
  });

  it("hold for a wallet, wherever it asks from", async () => {
    const { stack, urls } = await startReplicas({ IDENTITY_WALLET_RATE_LIMIT: "10" });
    const { wallet, address } = await stack.participate();
    const answers = [];
    for (let i = 0; i < 30; i++) {
      const body = await signedRequest(wallet, address);
      answers.push(await requestVerification(urls[i % 2] ?? "", body, `192.0.2.${i}`));
    }
    expect(countAnswered(answers)).to.be.within(10, 12);
    expect(new Set(answers.map(({ body }) => body.code ?? "issued"))).to.deep.equal(
      new Set(["issued", "rate_limited"]),
    );
    const other = await stack.addWallet();
    expect((await requestVerification(stack.url, await signedRequest(other, address))).status).to.equal(200);
  });

  it("cost the store one write for many requests, and none for who asks little or too much", async () => {
    const { ask, query, countExchanges } = await startReplicas({ IDENTITY_RATE_LIMIT: "100" });
    for (let i = 0; i < 50; i++) for (const last of [1, 2]) await ask(0, `192.0.2.${10 * last + (i % 5)}`);
    expect(await countExchanges(0)).to.equal(0);
    expect(await query("select * from limit_counts")).to.deep.equal([]);
    for (let i = 0; i < 100; i++) await ask(0);
    const exchanged = await countExchanges(0);
    expect(exchanged).to.be.within(1, 10);
    for (let i = 0; i < 50; i++) expect((await ask(0)).status).to.equal(429);
    expect(await countExchanges(0)).to.equal(exchanged);
  });

  it("tell what is left of all replicas' limit, and when it begins anew", async () => {
    const { ask } = await startReplicas({ IDENTITY_RATE_LIMIT: "20" });
    const left = [];
    for (let i = 0; i < 10; i++) await ask(0);
    for (let i = 0; i < 16; i++) {
      const { headers, status } = await ask(1);
      const [, remaining, reset] = /^"client";r=(\d+);t=(\d+)$/.exec(headers.get("ratelimit") ?? "") ?? [];
      expect(Number(reset)).to.be.within(1, 60);
      expect(headers.get("retry-after")).to.equal(status === 429 ? reset : null);
      left.push(Number(remaining));
    }
    // The first one has answered ten and told of nine; this one answers two before it asks.
    expect(left).to.deep.equal([19, 18, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0]);
  });

  it("begin anew a minute after the first request, on every replica", async () => {
    const { ask, query } = await startReplicas({ IDENTITY_RATE_LIMIT: "10" });
    for (let i = 0; i < 30; i++) await ask(i);
    expect([(await ask(0)).status, (await ask(1)).status]).to.deep.equal([429, 429]);
    const [row] = await query(
      "select ends_at - (extract(epoch from now()) * 1000)::bigint as left from limit_counts",
    );
    expect(Number(row?.left)).to.be.within(1, 60_000);
    // The store's minute, and each replica's own.
    await query("update limit_counts set ends_at = ends_at - 60000");
    passTime(60_000);
    const answers = [];
    for (let i = 0; i < 30; i++) answers.push(await ask(i));
    expect(countAnswered(answers)).to.be.within(10, 12);
  });

  it("leave no address and no wallet in the store", async () => {
    const { stack, ask, query } = await startReplicas({
      IDENTITY_RATE_LIMIT: "10",
      IDENTITY_WALLET_RATE_LIMIT: "4",
    });
    const { wallet, address, request } = await stack.participate();
    for (let i = 0; i < 4; i++) await request();
    for (let i = 0; i < 12; i++) await ask(0, "203.0.113.77");
    const rows = await query("select * from limit_counts");
    // The wallet, its address, and the other address.
    expect(rows).to.have.length(3);
    for (const row of rows) {
      expect(row.key).to.match(/^[\w-]{43}$/);
      expect(Object.keys(row)).to.deep.equal(["key", "count", "ends_at"]);
      const text = JSON.stringify(row).toLowerCase();
      for (const told of [wallet.address, address, "203.0.113", "127.0.0.1"]) {
        expect(text).not.to.include(told.toLowerCase().replace(/^0x/, ""));
      }
    }
  });

  it("let requests through when the store hangs, while what they would need of it is refused", async () => {
    const server = await startPostgres();
    const { stack, other, ask } = await startReplicas(
      { IDENTITY_RATE_LIMIT: "40", IDENTITY_WALLET_RATE_LIMIT: "10" },
      server,
    );
    const { wallet, address } = await stack.participate();
    for (let i = 0; i < 10; i++) await ask(i);
    server.freeze();
    onCleanup(() => server.thaw());
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask(0, "192.0.2.9")));
    // This replica's own limit still holds.
    expect(countAnswered(answers)).to.equal(40);
    const refused = await requestVerification(stack.url, await signedRequest(wallet, address));
    expect([refused.status, refused.body.code]).to.deep.equal([503, "store_unavailable"]);
    const text = await (await fetch(`${stack.url}/metrics`)).text();
    const [, unshared] = /^identity_limit_unshared_total\{limit="verifications"\} (\d+)$/m.exec(text) ?? [];
    expect(Number(unshared)).to.be.within(1, 40);
    const warned = () => stack.service.log.filter((line) => line.includes("limits are not shared"));
    expect(warned()).to.have.length(1);
    server.thaw();
    for (
      let i = 0;
      i < 200 && !stack.service.log.some((line) => line.includes("shared with other replicas again"));
      i++
    ) {
      await ask(0, `198.51.100.${i % 20}`);
      await setTimeout(50);
    }
    expect(stack.service.log.join("")).to.include("limits are shared with other replicas again");
    expect(warned()).to.have.length(1);
    expect(other.log.join("")).not.to.include("limits are not shared");
  });

  it("let through what then waits for a nonce or a pin, which are refused while the store hangs", async () => {
    const server = await startPostgres();
    const page = await serveVerifyPage({
      IDENTITY_DATABASE_URL: await server.createDatabase(),
      IDENTITY_RATE_LIMIT: "2",
    });
    const operated = await startStack({
      IDENTITY_DATABASE_URL: await server.createDatabase(),
      IDENTITY_SIGNING_KEY: hexlify(randomBytes(32)),
      IDENTITY_MASTER_SECRET: hexlify(randomBytes(32)),
      IDENTITY_RATE_LIMIT: "2",
    });
    await (await operated.registryContract.getFunction("addSigner")(operated.service.signer)).wait();
    const { wallet, address } = await operated.participate();
    const body = await signedRequest(wallet, address);
    const visitor = new Visitor(page.url);
    const signature = await visitor.wallet.signMessage(await visitor.askMessage());
    server.freeze();
    onCleanup(() => server.thaw());
    const [signedIn, verified] = await Promise.all([
      visitor.act("link", { signature }),
      requestVerification(operated.url, body),
    ]);
    expect([signedIn.status, signedIn.body.code]).to.deep.equal([503, "store_unavailable"]);
    expect([verified.status, verified.body.code]).to.deep.equal([503, "store_unavailable"]);
    const failed = async (url: string) =>
      /operation="(?:sessionEpoch|spendNonce|pin)",outcome="failed"\} 1$/m.test(
        await (await fetch(`${url}/metrics`)).text(),
      );
    expect([await failed(page.url), await failed(operated.url)]).to.deep.equal([true, true]);
  });
});
