import { timingSafeEqual } from "node:crypto";
import { hexlify } from "ethers";
import type { Kysely } from "kysely";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { deriveKey } from "../../../protocol/keys.ts";
import type { Schema } from "./schema.ts";

/**
 * The same accounts must give the same pseudonyms for as long as a store lives.
 *
 * @throws InvalidInputError when the store was made with another secret.
 */
export async function checkMasterSecret(db: Kysely<Schema>, masterSecret: Uint8Array): Promise<void> {
  const name = "master-secret-check";
  const mine = hexlify(deriveKey(masterSecret, "store-check"));
  await db
    .insertInto("settings")
    .values({ name, value: mine })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  const { value } = await db
    .selectFrom("settings")
    .select("value")
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  if (value.length !== mine.length || !timingSafeEqual(Buffer.from(value), Buffer.from(mine))) {
    throw new InvalidInputError(
      "The master secret (IDENTITY_MASTER_SECRET) is not the one that this credential store was created with.",
    );
  }
}
