import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Folders to delete when the process exits. */
const folders = new Set<string>();
// A single listener for all folders, because Node warns about many listeners.
process.once("exit", () => folders.forEach(removeFolder));

/** Creates a folder that is deleted when the process exits, unless {@link removeFolder} deletes it earlier. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}
