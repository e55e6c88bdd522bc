import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";

/** Folders to delete when the process exits. */
const folders = new Set<string>();
// A single listener for all folders, because Node warns about many listeners.
process.once("exit", () => folders.forEach(tryToRemove));

/**
 * Creates a folder that is deleted when the process exits, unless {@link removeFolder} deletes it earlier.
 *
 * @throws InvalidInputError if the system's folder for temporary files cannot be written or created.
 */
export function temporaryFolder(prefix: string): string {
  const folder = createFolder(prefix);
  folders.add(folder);
  return folder;
}

function createFolder(prefix: string): string {
  const parent = tmpdir();
  try {
    mkdirSync(parent, { recursive: true });
    return mkdtempSync(join(parent, prefix));
  } catch (error) {
    throw new InvalidInputError(
      `Temporary files need a folder, and ${parent} cannot be used (${systemErrorCode(error)}); set TMPDIR to one that you can write to.`,
    );
  }
}

export function removeFolder(folder: string): void {
  // Windows keeps a file for a moment after its program has closed it.
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  folders.delete(folder);
}

/** An error at the exit would change the exit code, and keep the other folders. */
function tryToRemove(folder: string): void {
  try {
    removeFolder(folder);
  } catch {
    // The system empties its folder for temporary files.
  }
}
