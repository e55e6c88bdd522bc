import { expect } from "chai";
import { development } from "../../../packages/protocol/development.ts";
import { readAudit } from "../../fixtures/signer/audit.ts";
import { startTestSigner } from "../../fixtures/signer/signer.ts";
import { serveVerifyPage } from "../../fixtures/signer/stack.ts";
import { engines } from "../../fixtures/signer/stores.ts";
import { Visitor } from "../../fixtures/signer/visitor.ts";
import { runIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`Ending the verify page's sessions for all on ${engine}`, () => {
    it("has every replica refuse the cookies that were made before, and take those made after", async () => {
      const { databaseUrl } = await createDatabase();
      const stack = await serveVerifyPage({ IDENTITY_DATABASE_URL: databaseUrl });
      const replica = await startTestSigner({
        ...stack.environment,
        IDENTITY_VERIFY_URL: stack.service.verifyUrl,
      });
      const env = { IDENTITY_DATABASE_URL: databaseUrl, IDENTITY_MASTER_SECRET: development.masterSecret };
      const end = () => runIdentitySigner(["sessions", "end"], env);
      // The second run must end them again.
      await end();
      const visitor = new Visitor(stack.service.url);
      await visitor.signIn();
      await visitor.prove("microblog", { action: "pick", pick: "1001" });
      const former = visitor.browser.cookies(new URL(stack.service.url));

      /** The wallet that each replica reads from these cookies. */
      const seenBy = (cookie: string) =>
        Promise.all(
          [stack.service, replica].map(async ({ url }) => {
            const response = await fetch(`${url}/verify/overview`, { headers: { cookie } });
            const { wallet, proof } = (await response.json()) as { wallet?: string; proof?: object };
            return { wallet, hasProof: proof !== undefined };
          }),
        );
      const signedIn = { wallet: visitor.wallet.address, hasProof: true };
      expect(await seenBy(former)).to.deep.equal([signedIn, signedIn]);

      const ended = await end();
      expect([
        ended.code,
        ended.output.startsWith("All sessions of the verify page have ended."),
      ]).to.deep.equal([0, true]);
      const stranger = { wallet: undefined, hasProof: false };
      expect(await seenBy(former)).to.deep.equal([stranger, stranger]);
      const { status, body } = await visitor.act("keep");
      expect([status, body.code]).to.deep.equal([401, "not_signed_in"]);

      await visitor.signIn();
      const now = visitor.browser.cookies(new URL(stack.service.url));
      const again = { ...signedIn, hasProof: false };
      expect(await seenBy(now)).to.deep.equal([again, again]);
      const events = (await readAudit({ databaseUrl, masterSecret: development.masterSecret })).map(
        ({ event }) => event,
      );
      expect(events.filter((event) => event === "sessions-ended")).to.have.length(2);
    }).timeout(60_000);
  });
}
