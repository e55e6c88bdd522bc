import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { InvalidInputError } from "../../../protocol/errors.ts";

/**
 * Writes a new file that only its owner can read. The file gets its name once it is complete and synced to the disk.
 *
 * @param what The kind of file, such as "a backup".
 * @param write Writes the content to an empty file.
 * @throws InvalidInputError when the file exists already, or cannot be created.
 */
export async function writeNewFile<T>(
  path: string,
  what: string,
  write: (unfinished: string) => T | Promise<T>,
): Promise<T> {
  const refuseOther = () => {
    if (existsSync(path)) throw new InvalidInputError(`${path} exists already; ${what} needs a new file.`);
  };
  refuseOther();
  const unfinished = `${path}.unfinished`;
  rmSync(unfinished, { force: true });
  closeSync(create(path, unfinished));
  try {
    const written = await write(unfinished);
    flush(unfinished);
    refuseOther();
    renameSync(unfinished, path);
    flush(dirname(path));
    return written;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

function create(path: string, unfinished: string): number {
  try {
    return openSync(unfinished, "wx", 0o600);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown";
    throw new InvalidInputError(`${path} cannot be written (${code}).`);
  }
}

/** Syncs a file or directory to the disk. Otherwise the operating system may write it later. */
function flush(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
