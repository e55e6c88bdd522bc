import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { credentialSeal, openRow } from "@hardhat-identity/store/credentials/pages";
import { withExistingStore } from "@hardhat-identity/store/database/operateStore";
import { pageByKey, pagesOf } from "@hardhat-identity/store/database/paging";
import {
  encryptionKeyId,
  recordEncryptionSecret,
  type StoreAccess,
} from "@hardhat-identity/store/database/properties";
import type { Schema } from "@hardhat-identity/store/database/schema";
import { type Kysely, sql } from "kysely";
import { lockStore } from "./lockStore.ts";

type Row = Schema["credentials"];

/**
 * Encrypts all credentials of a store with another secret, in one transaction: it is done as a whole or not at all.
 *
 * @param options The store, with its present secrets. No other process may have it open.
 * @param next The secret to encrypt with; 32 bytes hex. The master secret means that there is no other one.
 * @param progress Called with the number of credentials encrypted so far.
 * @throws InvalidInputError when a credential cannot be opened, or the secret is the present one.
 */
export async function reencryptStore(
  options: StoreAccess,
  next: string,
  progress: (credentials: number) => void = () => undefined,
): Promise<{ readonly credentials: number; readonly keyId: string }> {
  const keyId = encryptionKeyId(next);
  if (keyId === encryptionKeyId(options.encryptionSecret ?? options.masterSecret)) {
    throw new InvalidInputError(
      `The store is encrypted with this secret already (key id ${keyId}); give another one.`,
    );
  }
  return await withExistingStore(options, "exclusive", async ({ database, identity }) => {
    const former = credentialSeal(options, identity);
    const latter = credentialSeal({ ...options, encryptionSecret: next }, identity);
    const reencrypt = (row: Row): Row => ({
      ...row,
      sealed: latter.close([row.wallet, row.provider], openRow(row, former)),
    });
    const credentials = await database.transact(async (db) => {
      await lockStore(db, database);
      let done = 0;
      for await (const rows of pagesOf(pageByKey(db, "credentials"))) {
        await replace(db, rows.map(reencrypt));
        done += rows.length;
        progress(done);
      }
      await recordEncryptionSecret(db, identity, options, next);
      return done;
    });
    return { credentials, keyId };
  });
}

async function replace(db: Kysely<Schema>, rows: readonly Row[]): Promise<void> {
  const values = rows.map(({ wallet, provider, sealed }) => sql`(${wallet}, ${provider}, ${sealed})`);
  await sql`
    with given(its_wallet, its_provider, its_text) as (values ${sql.join(values)})
    update credentials set sealed = its_text from given
    where wallet = its_wallet and provider = its_provider`.execute(db);
}
