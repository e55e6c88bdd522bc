import { writeFile } from "node:fs/promises";
import { InvalidInputError } from "../../protocol/errors.ts";

/**
 * Writes what nobody else may read to the new file that `--to` names.
 *
 * @param what The content, for an error.
 * @throws InvalidInputError when something is at the path, or nothing can be written there.
 */
export async function writeSecretFile(what: string, file: string, content: string): Promise<void> {
  await writeFile(file, content, { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw new InvalidInputError(
      `--to: ${what} was not written (${error.code}); give the path of a new file.`,
    );
  });
}
