import { expect } from "chai";
import { hexlify, randomBytes } from "ethers";
import { everyCredential } from "../../../signer/index.ts";
import { pageSize } from "../../../signer/internal/database/paging.ts";
import { engines, manyCredentials, newStore } from "../../fixtures/signer/stores.ts";
import { runIdentitySigner, spawnIdentitySigner } from "../../fixtures/tasks/identitySigner.ts";

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`Encrypting a store anew on ${engine}`, () => {
    it("goes on where it was killed", async () => {
      const { store, options, query, open } = await newStore(createDatabase);
      const next = hexlify(randomBytes(32));
      const env = {
        IDENTITY_DATABASE_URL: options.databaseUrl,
        IDENTITY_MASTER_SECRET: options.masterSecret,
        IDENTITY_ENCRYPTION_SECRET: next,
      };
      for (let i = 0; i < 8; i++) await store.merge(manyCredentials((i + 1) * pageSize).slice(i * pageSize));
      const killed = spawnIdentitySigner(["re-encrypt"], env);
      await killed.waitFor(/Looked at/);
      await killed.stop("SIGKILL");
      const again = await runIdentitySigner(["re-encrypt"], env);
      expect(again.code).to.equal(0);
      const [, changed] = /Re-encrypted (\d+)/.exec(again.output) ?? [];
      expect(Number(changed)).to.be.lessThan(8 * pageSize);
      const formats = await query("select distinct substr(sealed, 1, 3) as format from credentials");
      expect(formats.map(({ format }) => format)).to.deep.equal(["v1-"]);
      let count = 0;
      for await (const _each of everyCredential(await open({ encryptionSecret: next }))) count++;
      expect(count).to.equal(8 * pageSize);
    }).timeout(120_000);
  });
}
