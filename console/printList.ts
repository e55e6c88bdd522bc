import { print, visible, visibleLine } from "./print.ts";

/**
 * Prints any number of items as they arrive: with `--json` an array on one line, otherwise one line per item.
 *
 * @param options.none Printed if there are no items.
 */
export async function printList<Item extends object>(
  items: AsyncIterable<Item>,
  options: { json: boolean; describe: (item: Item) => string; none: string },
): Promise<void> {
  const { json, describe, none } = options;
  let count = 0;
  for await (const item of items) {
    if (json) process.stdout.write(visible(`${count === 0 ? "[" : ","}${JSON.stringify(item)}`));
    else print(visibleLine(describe(item)));
    count++;
  }
  if (json) print(count === 0 ? "[]" : "]");
  else if (count === 0) print(none);
}
