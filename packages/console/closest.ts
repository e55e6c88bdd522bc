/** Returns ` Did you mean …?` with the known word that is closest to a mistyped one; an empty text if none is close. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [closest] = known
    .map((name) => ({ name, distance: editDistance(word, name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, name.replace(/^--/, "").length / 2.5))
    .toSorted((a, b) => a.distance - b.distance);
  return closest === undefined ? "" : ` Did you mean ${closest.name}?`;
}

/** The fewest characters to insert, delete, replace, or swap with the next one (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, character] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const replaced = (row[j] ?? 0) + (character === other ? 0 : 1);
      const isSwap = character === to[j - 1] && other === from[i - 1];
      const swapped = isSwap ? (before[j - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
