import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { getBytes } from "ethers";
import { verifyAudit } from "../../../packages/operator/index.ts";
import { development } from "../../../packages/protocol/development.ts";
import type { AuditEntry } from "../../../packages/store/audit/auditEntry.ts";
import { createSequenceSeal } from "../../../packages/store/audit/sequence.ts";
import { readAudit } from "../../fixtures/signer/audit.ts";
import { startPostgres } from "../../fixtures/signer/postgres.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { alice, engines, newStore } from "../../fixtures/signer/stores.ts";
import { runIdentitySignerProcess, startIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";

/** How often something is killed. */
const kills = (usual: number) => Number(process.env.KILLS ?? usual);

/** Many clients at once, who note the id of each verification that they get. */
function startClients(body: object) {
  const answered: string[] = [];
  const refused = new Set<number>();
  /** Asks until a service does not answer at all, or `isOver`. */
  async function ask(url: string, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const { response, status } = await requestVerification(url, body);
      if (status === 200) answered.push(String(response.headers.get("x-request-id")));
      else refused.add(status);
    }
  }
  return {
    answered,
    refused,
    load: (url: string, isOver = () => false) =>
      Promise.allSettled(Array.from({ length: 12 }, () => ask(url, isOver))),
    /** Resolves at any point after some more answers, between two turns of a service or within one. */
    async somewhere(): Promise<void> {
      const enough = answered.length + 1 + Math.floor(60 * Math.random());
      while (answered.length < enough) await nextTurn();
      await delay(10 * Math.random());
    },
  };
}

/** Fails unless every answer has one entry, and the trail is whole. */
async function requireEntered(trail: Parameters<typeof verifyAudit>[0], answered: readonly string[]) {
  const entered = (await readAudit(trail))
    .filter(({ event }) => event === "verification-signed")
    .map((entry) => String("requestId" in entry && entry.requestId));
  const known = new Set(entered);
  expect(answered.filter((id) => !known.has(id))).to.deep.equal([]);
  expect(entered).to.have.length(known.size);
  expect((await verifyAudit(trail)).problems).to.deep.equal([]);
}

const trailOf = (databaseUrl: string) => ({ databaseUrl, masterSecret: development.masterSecret });

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`A service with its audit trail on ${engine}`, () => {
    it("has one entry for every answer, wherever it is killed under load", async function () {
      // Each needs a start, which takes long on a busy machine.
      const count = kills(engine === "SQLite" ? 40 : 10);
      this.timeout(60_000 + 30_000 * count);
      const { databaseUrl } = await createDatabase();
      const stack = await startStack({ IDENTITY_DATABASE_URL: databaseUrl });
      const { wallet, address } = await stack.participate();
      const clients = startClients(await signedRequest(wallet, address));
      for (let i = 0; i < count; i++) {
        const service = await startIdentitySigner({
          ...stack.environment,
          IDENTITY_PORT: "0",
          IDENTITY_RATE_LIMIT: "0",
          IDENTITY_WALLET_RATE_LIMIT: "0",
        });
        const load = clients.load(service.url);
        await clients.somewhere();
        service.process.kill("SIGKILL");
        await load;
        await service.ended;
      }
      expect([...clients.refused]).to.deep.equal([]);
      expect(clients.answered).to.have.length.at.least(count);
      await requireEntered(trailOf(databaseUrl), clients.answered);
    });
  });
}

describe("A service with its audit trail on a PostgreSQL that is killed", () => {
  it("has one entry for every answer, and answers 503 until the server is back", async function () {
    this.timeout(60_000 + 30_000 * kills(10));
    const server = await startPostgres();
    const databaseUrl = await server.createDatabase();
    const stack = await startStack({ IDENTITY_DATABASE_URL: databaseUrl });
    const { wallet, address } = await stack.participate();
    const clients = startClients(await signedRequest(wallet, address));
    let isOver = false;
    const load = clients.load(stack.url, () => isOver);
    for (let i = 0; i < kills(10); i++) {
      await clients.somewhere();
      await server.kill();
      await server.start();
    }
    await clients.somewhere();
    isOver = true;
    expect((await load).map(({ status }) => status)).not.to.include("rejected");
    expect([...clients.refused]).to.deep.equal([503]);
    await requireEntered(trailOf(databaseUrl), clients.answered);
  });
});

describe("An audit trail", () => {
  it("is verified in little memory, however many entries its rows have", async () => {
    const { SQLite } = engines;
    if (SQLite === undefined) throw new Error("no SQLite");
    const { options, query, store } = await newStore(SQLite);
    await store.close();
    const [property] = await query("select value from properties where name = 'store'");
    const seal = createSequenceSeal(getBytes(options.masterSecret), JSON.parse(String(property?.value)));
    const writer = "ab".repeat(16);
    const entry = { at: 1, event: "pin-reset", chainId: 1, consumer: alice, requestId: "x".repeat(300) };
    const entries = Array.from({ length: 500 }, () => entry as unknown as AuditEntry);
    let previous = "";
    for (let number = 0; number < 300; ) {
      const values = Array.from({ length: 50 }, () => {
        const row = seal.close({ writer, number, writtenAt: number }, previous, entries);
        previous = row.hash;
        return `('${writer}', ${number++}, ${row.writtenAt}, '${row.entries}', '${row.hash}')`;
      });
      await query(`insert into audit values ${values.join()}`);
    }
    const env = {
      IDENTITY_DATABASE_URL: options.databaseUrl,
      IDENTITY_MASTER_SECRET: options.masterSecret,
    };
    const memory = ["--max-semi-space-size=16", "--max-old-space-size=96"];
    const { code, output } = await runIdentitySignerProcess(["audit", "verify"], env, memory);
    expect(code, output.slice(0, 500)).to.equal(0);
    expect(output).to.include("150000 entries in 300 rows of ");
  }).timeout(120_000);
});
