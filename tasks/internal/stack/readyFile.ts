import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";
import { replaceFile } from "./replaceFile.ts";

/**
 * Opens the file of `--ready-file`, which tells scripts and apps where a stack is, for as long as it runs. The file of
 * a killed stack is removed, because scripts wait for the file to appear.
 */
export function openReadyFile(file: string) {
  const remove = () => rmSync(file, { force: true });
  if (existsSync(file)) {
    if (!isReadyFile(file)) {
      throw new InvalidInputError(
        `--ready-file must name a new file or one that \`identity dev\` wrote, not ${file}.`,
      );
    }
    remove();
  }
  try {
    writeFileSync(`${file}.new`, "");
    rmSync(`${file}.new`);
  } catch (error) {
    throw new InvalidInputError(
      `--ready-file names ${file}, which cannot be written (${systemErrorCode(error)}).`,
    );
  }
  return {
    update(ready: object) {
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
