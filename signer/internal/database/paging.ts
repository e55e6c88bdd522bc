import { type Kysely, type RawBuilder, sql } from "kysely";
import { primaryKeys, type Schema } from "./schema.ts";

/** The greatest number of rows that one statement reads or writes. */
export const pageSize = 500;

/** Reads one page after the other. Yields no empty page. */
export async function* pagesOf<Item>(
  read: (page: { after?: Item }) => Promise<Item[]>,
): AsyncGenerator<Item[]> {
  let after: Item | undefined;
  for (;;) {
    const page = await read(after === undefined ? {} : { after });
    if (page.length > 0) yield page;
    after = page.at(-1);
    if (page.length < pageSize) return;
  }
}

/** Reads one item after the other, with one page in memory at a time. */
export async function* itemsOf<Item>(read: Parameters<typeof pagesOf<Item>>[0]): AsyncGenerator<Item> {
  for await (const page of pagesOf(read)) yield* page;
}

/**
 * Reads pages of a table in the order of its primary key.
 *
 * @param options.key Other columns to order by, which an index has.
 * @param options.where Selects rows. The index must not be able to serve it in place of the key.
 */
export function pageByKey<Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  options: { key?: readonly (keyof Schema[Table])[]; where?: RawBuilder<unknown> } = {},
) {
  const { key = primaryKeys[table], where = sql`true` } = options;
  const columns = sql.join(key.map((column) => sql.ref(String(column))));
  return async ({ after }: { after?: Partial<Schema[Table]> | undefined }): Promise<Schema[Table][]> => {
    const behind = after ? sql`and (${columns}) > (${sql.join(key.map((column) => after[column]))})` : sql``;
    const page = sql<
      Schema[Table]
    >`select * from ${sql.table(table)} where ${where} ${behind} order by ${columns} limit ${pageSize}`;
    return (await page.execute(db)).rows;
  };
}
