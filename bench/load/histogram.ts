/** What a service has counted of something that it takes the time of. */
export interface Histogram {
  readonly seconds: number;
  readonly count: number;
}

/**
 * @param url The service, without a slash at the end.
 * @param labels In the order in which it tells them; all series together where none are given.
 */
export async function readHistogram(url: string, name: string, labels = ""): Promise<Histogram> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const sum = (part: string) =>
    [...text.matchAll(new RegExp(`^${name}_${part}(?:\\{(.*)\\})? (\\S+)$`, "gm"))]
      .filter(([, found = ""]) => found.includes(labels))
      .reduce((total, [, , value]) => total + Number(value), 0);
  return { seconds: sum("sum"), count: sum("count") };
}

/** Milliseconds on average between two readings. */
export const meanBetween = (before: Histogram, after: Histogram): number =>
  ((after.seconds - before.seconds) / (after.count - before.count)) * 1_000;
