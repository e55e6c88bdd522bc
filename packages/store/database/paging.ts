import { type Kysely, type RawBuilder, sql } from "kysely";
import { primaryKeys, type Schema } from "./schema.ts";

/** The greatest number of rows that one statement reads or writes. */
export const pageSize = 500;

/**
 * Reads one page after the other. Yields no empty page.
 *
 * @param size The number of items in each page but the last.
 */
export async function* pagesOf<Item>(
  read: (page: { after?: Item }) => Promise<Item[]>,
  size = pageSize,
): AsyncGenerator<Item[]> {
  let after: Item | undefined;
  for (;;) {
    const page = await read(after === undefined ? {} : { after });
    if (page.length > 0) yield page;
    after = page.at(-1);
    if (page.length < size) return;
  }
}

/** Reads one item after the other, with one page in memory at a time. */
export async function* itemsOf<Item>(...pages: Parameters<typeof pagesOf<Item>>): AsyncGenerator<Item> {
  for await (const page of pagesOf(...pages)) yield* page;
}

/**
 * Reads pages of a table in the order of its primary key.
 *
 * @param options.key Other columns to order by, which an index has.
 * @param options.size The greatest number of rows in a page.
 * @param options.where Selects rows. The index must not be able to serve it in place of the key.
 */
export function pageByKey<Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  options: { key?: readonly (keyof Schema[Table])[]; size?: number; where?: RawBuilder<unknown> } = {},
) {
  const { key = primaryKeys[table], size = pageSize, where = sql`true` } = options;
  const columns = sql.join(key.map((column) => sql.ref(String(column))));
  return async ({ after }: { after?: Partial<Schema[Table]> | undefined }): Promise<Schema[Table][]> => {
    const behind = after ? sql`and (${columns}) > (${sql.join(key.map((column) => after[column]))})` : sql``;
    const page = sql<
      Schema[Table]
    >`select * from ${sql.table(table)} where ${where} ${behind} order by ${columns} limit ${size}`;
    return (await page.execute(db)).rows;
  };
}
