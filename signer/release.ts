import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The version of this package. */
export const release: string = readVersion(import.meta.dirname);

function readVersion(folder: string): string {
  const file = join(folder, "package.json");
  if (existsSync(file)) return String(JSON.parse(readFileSync(file, "utf8")).version);
  if (dirname(folder) === folder) return "unknown";
  return readVersion(dirname(folder));
}
