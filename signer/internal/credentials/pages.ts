import { type Kysely, sql } from "kysely";
import { parseAddress } from "../../../protocol/address.ts";
import type { Erasure } from "../database/erasure.ts";
import { pageSize, pagesOf } from "../database/paging.ts";
import { forgetFormerKeys } from "../database/properties.ts";
import type { Schema } from "../database/schema.ts";
import type { Credential, CredentialPlace, ListedCredential } from "./credential.ts";
import type { CredentialSeal } from "./credentialSeal.ts";

/** How many statements wait for the database at once: fewer than it has connections. */
const statementsAtOnce = 8;

/** What came of credentials that were brought to a store. */
export interface Merged {
  /** The store had none for the wallet and provider. */
  readonly added: number;
  /** The store had an older one: of an earlier authentication. */
  readonly replaced: number;
  /** The store had the same one, or a newer one, and has it still. */
  readonly kept: number;
}

/** What was found in a page of rows, and done to them. */
export interface Reencrypted {
  /** How many rows there were of each key, by its id. */
  readonly keys: Readonly<Record<string, number>>;
  readonly changed: number;
  /** Where to go on; undefined at the end. */
  readonly next: CredentialPlace | undefined;
}

/** What is done to many credentials, a page at a time; see everyCredential. */
export interface CredentialPages {
  /**
   * Credentials, or those of one wallet, ordered by wallet and provider: {@link pageSize} at most, unless told otherwise.
   *
   * @param filter.after Only those behind that one.
   */
  list(filter?: { wallet?: string; after?: CredentialPlace; limit?: number }): Promise<ListedCredential[]>;
  /**
   * Stores credentials of another store with the same master secret. Of two for a wallet and provider the one of the
   * later authentication stays. Done twice it changes nothing more.
   *
   * @param credentials {@link pageSize} at most, in any order.
   */
  merge(credentials: readonly ListedCredential[]): Promise<Merged>;
  /**
   * Encrypts a page of rows with the key that new rows are encrypted with, where they are not. What others write
   * meanwhile stays.
   *
   * @param options.dryRun Only counts.
   */
  reencrypt(options: { after?: CredentialPlace | undefined; dryRun: boolean }): Promise<Reencrypted>;
  /** To be called when {@link reencrypt} found nothing to do in the whole store: the store can be opened without the former secret. */
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

  /** Inserts rows where there are none, and answers which those were. */
  const insert = (rows: readonly Row[]) =>
    db
      .insertInto("credentials")
      .values(rows)
      .onConflict((conflict) => conflict.columns(["wallet", "provider"]).doNothing())
      .returning(["wallet", "provider"])
      .execute();

  /** Puts other texts in the place of rows', but where somebody else has done so first. Answers where it did. */
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

/** Does something for each item, for a few at the same time. */
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

/** Every credential of a store, or of a wallet in it, in their order, of which one page is in memory. */
export async function* everyCredential(
  { list }: Pick<CredentialPages, "list">,
  filter: { wallet?: string } = {},
): AsyncGenerator<ListedCredential> {
  for await (const page of pagesOf<ListedCredential>((after) => list({ ...filter, ...after }))) yield* page;
}
