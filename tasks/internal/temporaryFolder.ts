import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What is deleted with the process. */
const folders = new Set<string>();
// Once, however many there are: Node warns of many listeners.
process.once("exit", () => folders.forEach(removeFolder));

/** A new folder, which is deleted with the process, where {@link removeFolder} has not done so before. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}
