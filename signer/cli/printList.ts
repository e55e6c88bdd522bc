import { print, visible, visibleLine } from "./print.ts";

/**
 * Prints items as they come, however many: with `--json` as one line with an array, else a line for each.
 *
 * @param options.none Printed where there is none.
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
