/** The first patches of older lines of SQLite that have the repair. */
const repairedIn: ReadonlyMap<number, number> = new Map([
  [44, 6],
  [50, 7],
  [51, 3],
]);

/**
 * Whether an SQLite can lose what one connection writes while another one writes the log into the file. See
 * https://sqlite.org/wal.html#walresetbug.
 */
export function hasResetBug(version = process.versions.sqlite ?? ""): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return major === 3 && minor <= 51 && patch < (repairedIn.get(minor) ?? Number.POSITIVE_INFINITY);
}
