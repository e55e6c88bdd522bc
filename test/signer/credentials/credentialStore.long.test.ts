import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import { hexlify, randomBytes } from "ethers";
import { openCredentialStore } from "../../../signer/index.ts";
import { engines } from "../../fixtures/signer/stores.ts";
import { cleanEnvironment } from "../../fixtures/tasks/hardhat.ts";

for (const [engine, createDatabase] of Object.entries(engines)) {
  describe(`The credential store on ${engine}`, () => {
    it("is created once by several processes at once, and takes the writes of all", async () => {
      const { databaseUrl } = await createDatabase();
      const masterSecret = hexlify(randomBytes(32));
      const script = `
        import { everyCredential, openCredentialStore, readMigrations } from ${JSON.stringify(new URL("../../../signer/index.ts", import.meta.url).href)};
        const [number, databaseUrl, masterSecret] = process.argv.slice(1);
        const store = await openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 });
        for (let i = 0; i < 10; i++) {
          await store.set({
            wallet: "0x" + (Number(number) * 10 + i).toString(16).padStart(40, "0"),
            provider: "microblog", accountId: "a", traits: {}, authenticatedAt: 1,
          });
        }
        await store.close();`;
      const runs = [1, 2, 3, 4].map((number) =>
        promisify(execFile)(
          process.execPath,
          ["--input-type=module", "--eval", script, String(number), databaseUrl, masterSecret],
          // Covered by the rest of this file; see networkHook.test.ts.
          { env: cleanEnvironment({ NODE_V8_COVERAGE: "" }) },
        ),
      );
      for (const { stderr } of await Promise.all(runs)) expect(stderr).to.equal("");
      const all = await openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 });
      expect(await all.list()).to.have.length(40);
      await all.close();
    });
  });
}
