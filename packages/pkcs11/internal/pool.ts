/** Items, each of which serves one caller at a time. */
export interface Pool<Item> {
  /** Uses a free item. Waits in line if there is none. */
  run<T>(use: (item: Item) => Promise<T>): Promise<T>;
}

export function createPool<Item>(items: readonly [Item, ...Item[]]): Pool<Item> {
  const free: Item[] = [...items];
  const line: ((item: Item) => void)[] = [];

  const take = async () => free.pop() ?? (await new Promise<Item>((resolve) => line.push(resolve)));

  function giveBack(item: Item): void {
    const next = line.shift();
    if (next === undefined) free.push(item);
    else next(item);
  }

  return {
    async run(use) {
      const item = await take();
      try {
        return await use(item);
      } finally {
        giveBack(item);
      }
    },
  };
}
