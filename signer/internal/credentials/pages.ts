import type { Kysely } from "kysely";
import { parseAddress } from "../../../protocol/address.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { pageSize, pagesOf } from "../database/paging.ts";
import type { Schema } from "../database/schema.ts";
import type { Seal } from "../database/seal.ts";
import type { Credential, CredentialPlace, ListedCredential } from "./credential.ts";

/** Operations on many credentials, a page at a time; see everyCredential. */
export interface CredentialPages {
  /**
   * Lists a page of the credentials, or of those of one wallet, ordered by wallet and provider.
   *
   * @param filter.after The credential before the page.
   * @throws InvalidInputError that names a credential which was altered, or is another store's.
   */
  list(filter?: { wallet?: string; after?: CredentialPlace }): Promise<ListedCredential[]>;
}

export function createPages(db: Kysely<Schema>, seal: Seal): CredentialPages {
  return {
    async list({ wallet, after } = {}) {
      const page = rowsAfter(db, after);
      const rows = await (wallet === undefined
        ? page
        : page.where("wallet", "=", parseAddress("The wallet", wallet))
      ).execute();
      return rows.map((row) => ({ wallet: row.wallet, provider: row.provider, ...openRow(row, seal) }));
    },
  };
}

/** Selects a page of rows in order. */
export function rowsAfter(db: Kysely<Schema>, after: CredentialPlace | undefined) {
  const rows = db.selectFrom("credentials").selectAll().orderBy("wallet").orderBy("provider").limit(pageSize);
  if (after === undefined) return rows;
  return rows.where(({ eb, refTuple, tuple }) =>
    eb(refTuple("wallet", "provider"), ">", tuple(after.wallet, after.provider)),
  );
}

/** @throws InvalidInputError that names a row which was altered, or is another store's. */
export function openRow({ wallet, provider, sealed }: Schema["credentials"], seal: Seal): Credential {
  try {
    return seal.open([wallet, provider], sealed) as Credential;
  } catch {
    const place = JSON.stringify([wallet, provider].map((text) => String(text).slice(0, 64)));
    throw new InvalidInputError(
      `The credential ${place} cannot be opened: it was altered, or is from another store. Delete it with identity-signer credential delete, or restore a backup.`,
    );
  }
}

/** Reads every credential of a store, or of one wallet in it, in order, with one page in memory at a time. */
export async function* everyCredential(
  { list }: CredentialPages,
  filter: { wallet?: string } = {},
): AsyncGenerator<ListedCredential> {
  for await (const page of pagesOf<ListedCredential>((after) => list({ ...filter, ...after }))) yield* page;
}
