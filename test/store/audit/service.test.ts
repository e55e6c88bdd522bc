import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { verifyAudit } from "../../../packages/operator/index.ts";
import { development } from "../../../packages/protocol/development.ts";
import { onCleanup } from "../../fixtures/cleanup.ts";
import { contentOf, readAudit } from "../../fixtures/signer/audit.ts";
import { withClient } from "../../fixtures/signer/postgres.ts";
import { readMetric, startTestSigner } from "../../fixtures/signer/signer.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { engines } from "../../fixtures/signer/stores.ts";
import { runIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";

const { masterSecret } = development;

/** Has PostgreSQL hold what is written next to the trail. */
async function holdTrail(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  onCleanup(() => client.end());
  await client.query("begin; lock table audit in exclusive mode");
  const waiting =
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  return {
    // Within the transaction, what others do would be what it was at the first look.
    begun: () =>
      withClient(databaseUrl, async (other) => {
        while ((await other.query(waiting)).rowCount === 0) await setImmediate();
      }),
    release: () => client.query("commit"),
  };
}

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`A service with its audit trail on ${engine}`, () => {
    async function fixture(env: Record<string, string> = {}) {
      const { databaseUrl, query } = await createDatabase();
      const stack = await startStack({ IDENTITY_DATABASE_URL: databaseUrl, ...env });
      const trail = { databaseUrl, masterSecret };
      return { ...stack, query, trail, audit: () => readAudit(trail) };
    }
    type Fixture = Awaited<ReturnType<typeof fixture>>;

    const signedIn = async ({ audit }: Pick<Fixture, "audit">) =>
      (await audit()).filter(({ event }) => event === "verification-signed");

    it("has an entry without a wallet for each verification", async () => {
      const stack = await fixture();
      const { address, wallet, request } = await stack.participate();
      const before = Date.now();
      const { body, response } = await request();
      const entries = await stack.audit();
      const [signed] = entries.filter(({ event }) => event === "verification-signed");
      if (signed === undefined) throw new Error("There is no entry.");
      expect(contentOf(signed)).to.deep.equal({
        event: "verification-signed",
        chainId: 84532,
        consumer: address,
        policyHash: await stack.registryContract.getFunction("policyHash")(address),
        identityHash: body.identityHash,
        expiration: body.expiration,
        signer: development.signer,
        requestId: response.headers.get("x-request-id"),
      });
      expect(signed.at).to.be.within(before, Date.now());
      const withWallet = entries.filter((entry) => JSON.stringify(entry).includes(wallet.address));
      expect(withWallet.map(contentOf)).to.deep.equal([
        { event: "credential-set", wallet: wallet.address, provider: "microblog" },
      ]);
      const start = entries.filter(({ event }) => event === "signer-used");
      expect(start.map(contentOf)).to.deep.equal([
        { event: "signer-used", chainId: 84532, signer: development.signer },
      ]);
      const rows = JSON.stringify(await stack.query("select * from audit"));
      for (const word of [wallet.address, body.identityHash, address, "verification-signed"]) {
        expect(rows).not.to.include(word);
      }
    });

    it("gives nothing away that it could not enter", async () => {
      const stack = await fixture();
      const { request } = await stack.participate();
      await stack.query("alter table audit rename to away");
      const { status, body, response } = await request();
      expect([status, body.code]).to.deep.equal([503, "store_unavailable"]);
      expect(response.headers.get("retry-after")).to.match(/^\d+$/);
      expect(body).not.to.have.any.keys("signature", "identityHash");
      await stack.query("alter table away rename to audit");
      expect((await request()).status).to.equal(200);
      expect(await signedIn(stack)).to.have.length(1);
      expect((await verifyAudit(stack.trail)).problems).to.deep.equal([]);
    });

    it("lets no answer leave before its entry is on the disk", async () => {
      // SQLite answers nothing at all before it has written.
      if (engine === "SQLite") return;
      const stack = await fixture();
      const { request } = await stack.participate();
      const { begun, release } = await holdTrail(stack.trail.databaseUrl);
      let isAnswered = false;
      const answer = request().finally(() => {
        isAnswered = true;
      });
      await begun();
      // In the time of several answers.
      for (let i = 0; i < 5; i++) expect((await fetch(`${stack.url}/openapi.json`)).status).to.equal(200);
      expect(isAnswered).to.equal(false);
      await release();
      expect((await answer).status).to.equal(200);
      expect(await signedIn(stack)).to.have.length(1);
    });

    it("counts a trail that does not hold in the metrics", async () => {
      const stack = await fixture();
      await (await stack.participate()).request();
      const problems = (url: string) => readMetric(url, "identity_audit_problems_total");
      expect(await problems(stack.url)).to.equal(0);
      await stack.query("update audit set written_at = written_at + 1 where number = 1");
      const { url } = await startTestSigner(stack.environment as Parameters<typeof startTestSigner>[0]);
      expect(await problems(url)).to.be.above(0);
    });

    it("is verified with one line for all unended sequences, which hides no problem", async () => {
      const stack = await fixture();
      const env = { IDENTITY_DATABASE_URL: stack.trail.databaseUrl, IDENTITY_MASTER_SECRET: masterSecret };
      const run = (...args: string[]) => runIdentitySigner(["audit", "verify", ...args], env);
      const { request } = await stack.participate();
      await request();
      const { stdout } = await run();
      expect(stdout.split("\n")[0]).to.equal(
        "2 sequences have no end: their processes run, were killed, or lost their last rows. --json lists them as openSequences.",
      );
      expect(stdout.split("\n")).to.have.length(3);
      expect(JSON.parse((await run("--json")).stdout).openSequences).to.have.length(2);
    });

    it("lists its trail on the command line", async () => {
      const stack = await fixture();
      const env = { IDENTITY_DATABASE_URL: stack.trail.databaseUrl, IDENTITY_MASTER_SECRET: masterSecret };
      const run = (...args: string[]) => runIdentitySigner(["audit", ...args], env);
      const [first, second] = [await stack.participate(), await stack.participate()];
      await first.request();
      await delay(5);
      const between = new Date().toISOString();
      await second.request();
      const { body } = await second.request();
      // A service that keeps entries for ever removes none.
      await (await stack.startReplica({ IDENTITY_AUDIT_RETENTION: "0" })).close();

      const all = await run("list", "--json", "--contract", second.address.toLowerCase());
      expect(all.code).to.equal(0);
      const entries = all.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(entries.map(({ consumer }) => consumer)).to.deep.equal([second.address, second.address]);
      expect(entries[1]).to.include({ event: "verification-signed", identityHash: body.identityHash });
      expect(new Date(entries[1].time).getTime()).to.be.at.least(Date.parse(between));
      const since = (await run("list", "--since", between)).stdout;
      expect(since).to.include(second.address).and.not.include(first.address);
    });
  });
}
