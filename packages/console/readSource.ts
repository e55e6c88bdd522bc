import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { decodeFile } from "@hardhat-identity/protocol/decodeFile";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";

/** Reads the file that `--from` names; `-` is standard input. */
export async function readSource(from: string): Promise<string> {
  if (from === "-") return await text(process.stdin);
  try {
    return decodeFile(await readFile(from));
  } catch (error) {
    const code = systemErrorCode(error);
    throw new InvalidInputError(`--from names ${from}, which cannot be read (${code}).`);
  }
}
