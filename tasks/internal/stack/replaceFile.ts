import { renameSync, writeFileSync } from "node:fs";

/** Writes a file of JSON and renames it, so that no reader gets an incomplete one. */
export function replaceFile(file: string, content: object, mode = 0o666): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(content, undefined, 2)}\n`, { mode });
  renameSync(`${file}.new`, file);
}
