import { expect } from "chai";
import { development } from "../../../protocol/development.ts";
import { verifyAudit } from "../../../signer/index.ts";
import { readAudit } from "../../fixtures/signer/audit.ts";
import { requestVerification, signedRequest } from "../../fixtures/signer/signIn.ts";
import { startStack } from "../../fixtures/signer/stack.ts";
import { engines } from "../../fixtures/signer/stores.ts";
import { startIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";

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
