import { readWallClock } from "@hardhat-identity/protocol/chain/clock";
import { type Kysely, sql } from "kysely";
import { pageByKey, pagesOf } from "../database/paging.ts";
import type { Schema } from "../database/schema.ts";

/**
 * Keeps the nonces that were used, until they have expired. Expired ones are removed now and every hour.
 *
 * @param confirmClock Fails unless this machine's clock is known to be right. Nothing is removed then.
 */
export function createNonceStore(db: Kysely<Schema>, confirmClock: () => Promise<void>) {
  let isStopped = false;
  let forgetting = Promise.resolve();
  const forget = () => {
    // The next run in an hour forgets the rest. Until then it only takes space.
    forgetting = forgetting.then(forgetExpired).catch(() => undefined);
  };
  forget();
  const everyHour = setInterval(forget, 3_600_000).unref();

  async function forgetExpired(): Promise<void> {
    await confirmClock();
    const now = readWallClock();
    const readPage = pageByKey(db, "spent_nonces", { where: sql`expires_at < ${now}` });
    for await (const page of pagesOf(readPage)) {
      const last = page.at(-1)?.nonce ?? "";
      await db.deleteFrom("spent_nonces").where("nonce", "<=", last).where("expires_at", "<", now).execute();
      if (isStopped) return;
    }
  }

  return {
    /** Returns whether the nonce was new. */
    async spend(nonce: string, expiresAt: number): Promise<boolean> {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("spent_nonces")
        .values({ nonce, expires_at: expiresAt })
        .onConflict((conflict) => conflict.column("nonce").doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    async isSpent(nonce: string): Promise<boolean> {
      const found = db.selectFrom("spent_nonces").select("nonce").where("nonce", "=", nonce);
      return (await found.executeTakeFirst()) !== undefined;
    },
    /** Resolves once nothing more is removed. */
    async stop(): Promise<void> {
      isStopped = true;
      clearInterval(everyHour);
      await forgetting;
    },
  };
}
