import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { InvalidInputError } from "../../../protocol/errors.ts";

/**
 * Writes a new file that only its owner can read. It has its name once it is complete and on the disk.
 *
 * @param what Such as "a backup".
 * @param write Gets an empty file.
 * @throws InvalidInputError when there is one of that name.
 */
export async function writeNewFile<T>(
  path: string,
  what: string,
  write: (unfinished: string) => T | Promise<T>,
): Promise<T> {
  const refuseOther = () => {
    if (existsSync(path)) throw new InvalidInputError(`${path} exists already; ${what} is a new file.`);
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

/** What is written is left to the operating system otherwise. */
function flush(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
