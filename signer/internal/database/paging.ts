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
