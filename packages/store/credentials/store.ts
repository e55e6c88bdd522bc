import { randomUUID } from "node:crypto";
import { readWallClock } from "@hardhat-identity/protocol/chain/clock";
import { parseHex } from "@hardhat-identity/protocol/hex";
import { deriveKey } from "@hardhat-identity/protocol/keys";
import { pseudonym } from "@hardhat-identity/protocol/protocolHashes";
import { sql } from "kysely";
import { type AuditOptions, openAudit } from "../audit/openAudit.ts";
import { createRefusalCounter } from "../audit/refusals.ts";
import { createErasure } from "../database/erasure.ts";
import { type OpenStore, openStore, withExistingStore } from "../database/operateStore.ts";
import {
  readAllowed,
  readSessionEpoch,
  recordAllowed,
  renewSessionEpoch,
  requireSameStore,
  type StoreAccess,
  storeProperty,
} from "../database/properties.ts";
import type { Seal } from "../database/seal.ts";
import { retryCalls } from "../database/storeCalls.ts";
import { auditStore } from "./auditStore.ts";
import {
  type Credential,
  type CredentialStore,
  checkCredential,
  type ReadableStore,
  readWallet,
} from "./credential.ts";
import { createNonceStore } from "./nonces.ts";
import { credentialSeal, listCredentials } from "./pages.ts";
import { createPinStore } from "./pins.ts";

/** The options of a store. */
export interface StoreOptions extends StoreAccess {
  /**
   * Fails unless this machine's clock is known to be right. Only then is anything removed because it is too old. If left
   * out, the clock is trusted.
   */
  readonly confirmClock?: () => Promise<void>;
  /** The options of the audit trail. By default, nothing is ever removed from it. */
  readonly audit?: AuditOptions | undefined;
}

/**
 * Opens the store. Creates it or migrates its schema if necessary. Several processes may have it open.
 *
 * @throws InvalidInputError when the URL, a secret or the chain is not the store's. Then nothing was written.
 *
 * @example
 * ```ts
 * const store = await openCredentialStore({
 *   databaseUrl: "file:identity.sqlite",
 *   masterSecret,
 *   chainId: 84532,
 * });
 * await store.set({
 *   wallet: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
 *   provider: "microblog",
 *   accountId: "1284917",
 *   traits: { followers: "1200" },
 *   authenticatedAt: Math.floor(Date.now() / 1000),
 * });
 * await store.close();
 * ```
 */
export async function openCredentialStore(options: StoreOptions): Promise<CredentialStore> {
  const opened = await openStore(options);
  const { audit = {}, confirmClock = async () => undefined } = options;
  const masterSecret = parseHex(options.masterSecret);
  const unaudited = await createStore(
    opened,
    masterSecret,
    credentialSeal(options, opened.identity),
    confirmClock,
  );
  const store = retryCalls(unaudited, ["close", "delete", "resetPins", "spendNonce"]);
  return auditStore(store, openAudit(opened, masterSecret, confirmClock, audit));
}

/**
 * Reads a store that is there already. Changes nothing.
 *
 * @throws InvalidInputError when there is no store, or it has other secrets.
 */
export function readStore<T>(options: StoreAccess, use: (store: ReadableStore) => Promise<T>): Promise<T> {
  return withExistingStore(options, "read", async ({ database: { db }, identity }) => {
    const seal = credentialSeal(options, identity);
    const { listPins } = createPinStore(db);
    return await use({ list: (filter) => listCredentials(db, seal, filter), listPins });
  });
}

async function createStore(
  { database, identity }: OpenStore,
  masterSecret: Uint8Array,
  seal: Seal,
  confirmClock: () => Promise<void>,
): Promise<Omit<CredentialStore, "enter">> {
  const { db, run } = database;
  const accountKey = deriveKey(masterSecret, "account");
  const erasure = createErasure(database.emptyLog);
  // A process that ended may have left deleted data in the log.
  await erasure.request();

  const nonces = createNonceStore(db, confirmClock);
  const refusals = createRefusalCounter(db);

  // Compiled once, as every claim runs it.
  const lookUp = db
    .selectFrom("credentials")
    .select("sealed")
    .where("wallet", "=", "")
    .where("provider", "=", "")
    .compile();

  async function findSealed(wallet: string, provider: string): Promise<string | undefined> {
    const { rows } = await run<{ sealed: string }>({ ...lookUp, parameters: [wallet, provider] });
    return rows[0]?.sealed;
  }

  async function findExactly(wallet: string, provider: string): Promise<Credential | undefined> {
    const sealed = await findSealed(wallet, provider);
    if (sealed === undefined) return undefined;
    try {
      return seal.open([wallet, provider], sealed) as Credential;
    } catch (error) {
      await check();
      throw error;
    }
  }

  async function find(wallet: string, provider: string): Promise<Credential | undefined> {
    // An address found as given is checksummed, as all rows are. Computing a checksum takes longer than all else.
    return (await findExactly(wallet, provider)) ?? (await findExactly(readWallet(wallet), provider));
  }

  const check = () => requireSameStore(db, identity);
  const sameStore = db
    .selectFrom("properties")
    .where("name", "=", storeProperty)
    .where("value", "=", identity.record);

  /**
   * Writes a row by single statements: during a transaction, another connection of this process would wait forever. They
   * write nothing to a store that was re-encrypted meanwhile. Between the two, another process may insert or delete the
   * row: then neither has written, and both are tried again.
   *
   * @throws InvalidInputError if the store was re-encrypted.
   */
  async function writeSealed(wallet: string, provider: string, sealed: string): Promise<void> {
    for (;;) {
      const { numUpdatedRows: replaced } = await db
        .updateTable("credentials")
        .set({ sealed })
        .where("wallet", "=", wallet)
        .where("provider", "=", provider)
        .where(({ exists }) => exists(sameStore.select("name")))
        .executeTakeFirst();
      if (replaced === 1n) return await erasure.request();
      const { numInsertedOrUpdatedRows: inserted } = await db
        .insertInto("credentials")
        .columns(["wallet", "provider", "sealed"])
        .expression(
          sameStore
            .select([sql<string>`${wallet}`.as("wallet"), sql<string>`${provider}`.as("provider")])
            .select(sql<string>`${sealed}`.as("sealed")),
        )
        .onConflict((conflict) => conflict.columns(["wallet", "provider"]).doNothing())
        .executeTakeFirst();
      if (inserted === 1n) return;
      await check();
    }
  }

  return {
    ...createPinStore(db),
    list: (filter) => listCredentials(db, seal, filter),
    async set(credential) {
      const { wallet, provider, traits } = checkCredential(credential);
      const { accountId, authenticatedAt } = credential;
      const stored = { pseudonym: pseudonym({ accountKey, provider, accountId }), traits, authenticatedAt };
      const sealed = seal.close([wallet, provider], stored satisfies Credential);
      await writeSealed(wallet, provider, sealed);
    },
    find,
    has: async (wallet, provider) => (await findSealed(readWallet(wallet), provider)) !== undefined,
    async hasOtherAccount(wallet, provider, accountId) {
      const known = await find(wallet, provider);
      return known !== undefined && known.pseudonym !== pseudonym({ accountKey, provider, accountId });
    },
    async delete(wallet, provider) {
      const { numDeletedRows } = await db
        .deleteFrom("credentials")
        .where("wallet", "=", readWallet(wallet))
        .where("provider", "=", provider)
        .executeTakeFirst();
      if (numDeletedRows > 0n) await erasure.request();
      return numDeletedRows > 0n;
    },
    erased: (timeoutMs = 0) => erasure.done(timeoutMs),
    spendNonce: nonces.spend,
    isSpent: nonces.isSpent,
    sessionEpoch: () => readSessionEpoch(db),
    endSessions: () => renewSessionEpoch(db),
    noteAllowed: (registry, signer) => recordAllowed(db, registry, signer),
    wasAllowed: (registry, signer) => readAllowed(db, registry, signer),
    check,
    checkWriting: async () => void (await nonces.spend(`check:${randomUUID()}`, readWallClock())),
    isEmpty: async () =>
      (await db.selectFrom("credentials").select("provider").limit(1).executeTakeFirst()) === undefined,
    connections: database.connections,
    countRefusal: refusals.countRefusal,
    async close() {
      await refusals.stop();
      await nonces.stop();
      await erasure.stop();
      await database.close();
    },
  };
}
