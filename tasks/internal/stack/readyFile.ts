import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { InvalidInputError } from "../../../protocol/errors.ts";

/** A file for scripts and apps that says where a stack is, for as long as it runs. */
export interface ReadyFile {
  write(ready: object): void;
  remove(): void;
}

/**
 * Opens the file that `--ready-file` names. What a stack that was killed has left there is removed: a script waits for
 * the file to come.
 *
 * @throws InvalidInputError when something else is there.
 */
export function openReadyFile(file: string): ReadyFile {
  const remove = () => rmSync(file, { force: true });
  if (existsSync(file)) {
    if (!isReadyFile(file)) {
      throw new InvalidInputError(
        `--ready-file names ${file}, which is there and is not of an \`identity dev\`.`,
      );
    }
    remove();
  }
  return {
    write(ready) {
      // Nobody reads half of it.
      writeFileSync(`${file}.new`, `${JSON.stringify({ ...ready, pid: process.pid }, undefined, 2)}\n`);
      renameSync(`${file}.new`, file);
    },
    remove,
  };
}

function isReadyFile(file: string): boolean {
  try {
    const { pid, signerUrl } = JSON.parse(readFileSync(file, "utf8"));
    return typeof pid === "number" && typeof signerUrl === "string";
  } catch {
    return false;
  }
}
