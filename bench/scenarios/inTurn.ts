/**
 * Measures each thing once in each round, in another order each time. Returns the results in the order of the rounds.
 */
export async function inTurn<Thing, Found>(
  things: readonly Thing[],
  rounds: number,
  measure: (thing: Thing, round: number) => Promise<Found>,
): Promise<Map<Thing, Found[]>> {
  const found = new Map<Thing, Found[]>(things.map((thing) => [thing, []]));
  for (let round = 0; round < rounds; round++) {
    const first = round % things.length;
    for (const thing of [...things.slice(first), ...things.slice(0, first)]) {
      found.get(thing)?.push(await measure(thing, round));
    }
  }
  return found;
}
