import { readFile } from "node:fs/promises";
import { decryptKeystoreJson, isKeystoreJson } from "ethers";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { privateKeySource } from "./privateKey.ts";
import type { KeySource } from "./source.ts";

/**
 * A key from a file in the format of Web3 Secret Storage (version 3).
 *
 * @param options.passwordFile Holds the password; one line break at its end is not part of it.
 * @throws InvalidInputError when a file cannot be read, or the password does not open the keystore.
 */
export async function keystoreSource(options: { file: string; passwordFile: string }): Promise<KeySource> {
  const keystore = await read("IDENTITY_KEYSTORE_FILE", options.file);
  const password = await read("IDENTITY_KEYSTORE_PASSWORD_FILE", options.passwordFile);
  if (!isKeystoreJson(keystore)) {
    throw new InvalidInputError(
      `IDENTITY_KEYSTORE_FILE (${options.file}) is not a keystore of Web3 Secret Storage version 3.`,
    );
  }
  const account = await decryptKeystoreJson(keystore, password.replace(/\r?\n$/, "")).catch(() => {
    throw new InvalidInputError(
      `The password in ${options.passwordFile} (IDENTITY_KEYSTORE_PASSWORD_FILE) does not open the keystore ${options.file}.`,
    );
  });
  return privateKeySource(account.privateKey);
}

async function read(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
    throw new InvalidInputError(`${variable} names ${file}, which cannot be read${code}.`);
  }
}
