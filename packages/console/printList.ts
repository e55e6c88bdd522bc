import { print, visible, visibleLine } from "./print.ts";

/**
 * Prints any number of items as they arrive: with `--json` an array on one line, otherwise the lines of each item.
 *
 * @param options.toJson Makes of an item what JSON shows; by default the item itself.
 * @param options.header Printed above the first item for people.
 * @param options.none Printed if there are no items.
 */
export async function printList<Item extends object>(
  items: AsyncIterable<Item>,
  options: {
    json: boolean;
    toJson?: (item: Item) => object;
    describe: (item: Item) => readonly string[];
    header?: string;
    none: string;
  },
): Promise<void> {
  const { json, toJson = (item) => item, describe, header, none } = options;
  let count = 0;
  for await (const item of items) {
    if (json) process.stdout.write(visible(`${count === 0 ? "[" : ","}${JSON.stringify(toJson(item))}`));
    else {
      if (count === 0 && header !== undefined) print(header);
      for (const line of describe(item)) print(visibleLine(line));
    }
    count++;
  }
  if (json) print(count === 0 ? "[]" : "]");
  else if (count === 0) print(none);
}
