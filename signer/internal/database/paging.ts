/** How many rows are read, or written, by one statement. */
export const pageSize = 500;

/** One page after the other, none of them empty. */
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
