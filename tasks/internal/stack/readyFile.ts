import { existsSync, readFileSync, rmSync } from "node:fs";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { replaceFile } from "./replaceFile.ts";

/** A file that tells scripts and apps where a stack is, for as long as it runs. */
export interface ReadyFile {
  update(ready: object): void;
  remove(): void;
}

/**
 * Opens the file of `--ready-file`. The file of a killed stack is removed, because scripts wait for the file to appear.
 *
 * @throws InvalidInputError if another file is there.
 */
export function openReadyFile(file: string): ReadyFile {
  const remove = () => rmSync(file, { force: true });
  if (existsSync(file)) {
    if (!isReadyFile(file)) {
      throw new InvalidInputError(
        `--ready-file must name a new file or one that \`identity dev\` wrote, not ${file}.`,
      );
    }
    remove();
  }
  return {
    update(ready) {
      replaceFile(file, { ...ready, pid: process.pid });
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
