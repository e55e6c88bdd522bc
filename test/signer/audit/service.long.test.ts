import { expect } from "chai";
import { getBytes } from "ethers";
import { verifyAudit } from "../../../packages/operator/index.ts";
import { development } from "../../../packages/protocol/development.ts";
import type { AuditEntry } from "../../../signer/internal/audit/auditEntry.ts";
import { createSequenceSeal } from "../../../signer/internal/audit/sequence.ts";
import { readAudit } from "../../fixtures/signer/audit.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { alice, engines, newStore } from "../../fixtures/signer/stores.ts";
import { runIdentitySignerProcess, startIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`A service with its audit trail on ${engine}`, () => {
    it("has an entry for every answer of one that was killed", async () => {
      const { databaseUrl } = await createDatabase();
      const stack = await startStack({ IDENTITY_DATABASE_URL: databaseUrl });
      const trail = { databaseUrl, masterSecret: development.masterSecret };
      const { wallet, address } = await stack.participate();
      const service = await startIdentitySigner({
        ...stack.environment,
        IDENTITY_PORT: "0",
        IDENTITY_RATE_LIMIT: "0",
        IDENTITY_WALLET_RATE_LIMIT: "0",
      });
      const body = await signedRequest(wallet, address);
      const answered: string[] = [];
      const ask = async () => {
        for (;;) {
          const { response, status } = await requestVerification(service.url, body);
          expect(status).to.equal(200);
          answered.push(String(response.headers.get("x-request-id")));
          if (answered.length === 40) service.process.kill("SIGKILL");
        }
      };
      await Promise.allSettled(Array.from({ length: 8 }, ask));
      await service.ended;
      expect(answered).to.have.length.at.least(40);
      const entered = (await readAudit(trail))
        .filter(({ event }) => event === "verification-signed")
        .map((entry) => "requestId" in entry && entry.requestId);
      expect(entered).to.include.members(answered);
      const { problems, openSequences } = await verifyAudit(trail);
      expect(problems).to.deep.equal([]);
      expect(openSequences).to.have.length.at.least(1);
    }).timeout(120_000);
  });
}

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
