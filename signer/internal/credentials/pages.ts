import { type Kysely, sql } from "kysely";
import { parseAddress } from "../../../protocol/address.ts";
import type { Erasure } from "../database/erasure.ts";
import { pageSize, pagesOf } from "../database/paging.ts";
import { forgetFormerKeys } from "../database/properties.ts";
import type { Schema } from "../database/schema.ts";
import type { Credential, CredentialPlace, ListedCredential } from "./credential.ts";
import type { CredentialSeal } from "./credentialSeal.ts";

/** The greatest number of concurrent statements: fewer than the database has connections. */
const statementsAtOnce = 8;

/** The number of merged credentials by outcome. */
export interface Merged {
  /** The store had none for the wallet and provider. */
  readonly added: number;
  /** The store had an older one, with an earlier authentication. */
  readonly replaced: number;
  /** The store had the same one or a newer one, and keeps it. */
  readonly kept: number;
}

/** The outcome of re-encrypting a page of rows. */
export interface Reencrypted {
  /** The number of rows by the id of their key, as the page was found. */
  readonly keys: Readonly<Record<string, number>>;
  readonly changed: number;
  /** The last row of the page, to continue after; `undefined` at the end. */
  readonly next: CredentialPlace | undefined;
}

/** Operations on many credentials, a page at a time; see everyCredential. */
export interface CredentialPages {
  /**
   * Lists a page of the credentials, or of those of one wallet, ordered by wallet and provider.
   *
   * @param filter.after The credential before the page.
   * @param filter.limit The greatest length of the page; {@link pageSize} if left out.
   */
  list(filter?: { wallet?: string; after?: CredentialPlace; limit?: number }): Promise<ListedCredential[]>;
  /**
   * Stores credentials of another store with the same master secret. If both stores have one for a wallet and provider,
   * the later authentication wins. Idempotent.
   *
   * @param credentials At most {@link pageSize}, in any order.
   */
  merge(credentials: readonly ListedCredential[]): Promise<Merged>;
  /**
   * Encrypts a page of rows with the current key, except rows that are already encrypted with it. Concurrent changes by
   * others are kept.
   *
   * @param options.dryRun Whether to count rows without changing them.
   */
  reencrypt(options: { after?: CredentialPlace | undefined; dryRun: boolean }): Promise<Reencrypted>;
  /**
   * Lets the store be opened without the former secret. Call it only if {@link reencrypt} found nothing to change in
   * the whole store.
   */
  forgetFormerKeys(): Promise<void>;
}

type Row = Schema["credentials"];

export function createPages(db: Kysely<Schema>, seal: CredentialSeal, erasure: Erasure): CredentialPages {
  const open = ({ wallet, provider, sealed }: Row) => seal.open([wallet, provider], sealed) as Credential;
  const close = ({ wallet, provider, pseudonym, traits, authenticatedAt }: ListedCredential): Row => {
    const stored: Credential = { pseudonym, traits, authenticatedAt };
    return { wallet, provider, sealed: seal.close([wallet, provider], stored) };
  };

  const rowsAfter = (after: CredentialPlace | undefined, limit: number) => {
    const rows = db.selectFrom("credentials").selectAll().orderBy("wallet").orderBy("provider").limit(limit);
    if (after === undefined) return rows;
    return rows.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("wallet", "provider"), ">", tuple(after.wallet, after.provider)),
    );
  };

  const findRow = ({ wallet, provider }: CredentialPlace) =>
    db
      .selectFrom("credentials")
      .selectAll()
      .where("wallet", "=", wallet)
      .where("provider", "=", provider)
      .executeTakeFirst();

  /** Inserts the rows that do not exist yet, and returns them. */
  const insert = (rows: readonly Row[]) =>
    db
      .insertInto("credentials")
      .values(rows)
      .onConflict((conflict) => conflict.columns(["wallet", "provider"]).doNothing())
      .returning(["wallet", "provider"])
      .execute();

  /** Replaces the texts of rows, except rows that another writer has changed. Returns the replaced ones. */
  async function exchange(rows: readonly (readonly [former: Row, next: Row])[]): Promise<CredentialPlace[]> {
    const values = rows.map(
      ([{ wallet, provider, sealed }, next]) => sql`(${wallet}, ${provider}, ${sealed}, ${next.sealed})`,
    );
    const exchanged = sql<CredentialPlace>`
      with given(its_wallet, its_provider, former, next) as (values ${sql.join(values)})
      update credentials set sealed = given.next from given
      where wallet = its_wallet and provider = its_provider and sealed = former
      returning wallet, provider`;
    return (await exchanged.execute(db)).rows;
  }

  async function mergeOne(credential: ListedCredential): Promise<keyof Merged> {
    for (;;) {
      const found = await findRow(credential);
      if (found === undefined) {
        if ((await insert([close(credential)])).length === 1) return "added";
      } else if (open(found).authenticatedAt >= credential.authenticatedAt) {
        return "kept";
      } else if ((await exchange([[found, close(credential)]])).length === 1) {
        return "replaced";
      }
    }
  }

  const closeAnew = (row: Row) => close({ ...row, ...open(row) });

  async function reencryptRows(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const done = new Set((await exchange(rows.map((row) => [row, closeAnew(row)]))).map(placeText));
    const changed = rows.filter((row) => !done.has(placeText(row)));
    const found = (await inTurns(changed, findRow)).filter((row) => row !== undefined);
    await reencryptRows(found.filter(({ sealed }) => seal.keyIdOf(sealed) !== seal.keyId));
  }

  return {
    async list({ wallet, after, limit = pageSize } = {}) {
      const page = rowsAfter(after, limit);
      const rows = await (wallet === undefined
        ? page
        : page.where("wallet", "=", parseAddress("The wallet", wallet))
      ).execute();
      return rows.map((row) => ({ wallet: row.wallet, provider: row.provider, ...open(row) }));
    },
    async merge(credentials) {
      if (credentials.length === 0) return { added: 0, replaced: 0, kept: 0 };
      const inserted = await insert(credentials.map(close));
      const places = new Set(inserted.map(placeText));
      const others = credentials.filter((each) => !places.has(placeText(each)));
      const outcomes = await inTurns(others, mergeOne);
      const count = (outcome: keyof Merged) => outcomes.filter((each) => each === outcome).length;
      if (count("replaced") > 0) await erasure.request();
      return {
        added: inserted.length + count("added"),
        replaced: count("replaced"),
        kept: count("kept"),
      };
    },
    async reencrypt({ after, dryRun }) {
      const rows = await rowsAfter(after, pageSize).execute();
      const keys: Record<string, number> = {};
      for (const { sealed } of rows) {
        const id = seal.keyIdOf(sealed);
        keys[id] = (keys[id] ?? 0) + 1;
      }
      const former = dryRun ? [] : rows.filter(({ sealed }) => seal.keyIdOf(sealed) !== seal.keyId);
      await reencryptRows(former);
      if (former.length > 0) await erasure.request();
      const last = rows.length < pageSize ? undefined : rows.at(-1);
      const next = last && { wallet: last.wallet, provider: last.provider };
      return { keys, changed: former.length, next };
    },
    forgetFormerKeys: () => forgetFormerKeys(db, seal),
  };
}

const placeText = ({ wallet, provider }: CredentialPlace) => `${wallet} ${provider}`;

/** Runs an action for each item, a few at a time. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += statementsAtOnce) {
    results.push(...(await Promise.all(items.slice(from, from + statementsAtOnce).map(act))));
  }
  return results;
}

/** Reads every credential of a store, or of one wallet in it, in order, with one page in memory at a time. */
export async function* everyCredential(
  { list }: Pick<CredentialPages, "list">,
  filter: { wallet?: string } = {},
): AsyncGenerator<ListedCredential> {
  for await (const page of pagesOf<ListedCredential>((after) => list({ ...filter, ...after }))) yield* page;
}
