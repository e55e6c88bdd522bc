import { decryptKeystoreJson, isKeystoreJson } from "ethers";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Curve } from "../curve/curve.ts";
import { readSecretFile } from "../files/secretFiles.ts";
import type { KeySource } from "./keySource.ts";
import { privateKeySource } from "./privateKey.ts";

/**
 * A key from a file in the format of Web3 Secret Storage (version 3).
 *
 * @param options.passwordFile Holds the password; one line break at its end is not part of it.
 * @param prefix That of the variables that name the files.
 * @throws InvalidInputError when a file cannot be read, or can be read by others, or the password does not open the keystore.
 */
export async function keystoreSource(
  options: { file: string; passwordFile: string },
  curve: Curve,
  prefix = "IDENTITY_",
): Promise<KeySource> {
  const [variable, passwordVariable] = [`${prefix}KEYSTORE_FILE`, `${prefix}KEYSTORE_PASSWORD_FILE`];
  const keystore = read(variable, options.file);
  const password = read(passwordVariable, options.passwordFile);
  if (!isKeystoreJson(keystore)) {
    throw new InvalidInputError(
      `The file that ${variable} names is not a keystore of Web3 Secret Storage version 3.`,
    );
  }
  const account = await decryptKeystoreJson(keystore, password.replace(/\r?\n$/, "")).catch(() => {
    throw new InvalidInputError(
      `The password in the file that ${passwordVariable} names does not open the keystore in ${variable}.`,
    );
  });
  return privateKeySource(account.privateKey, curve, variable);
}

/** Without the file's name in what is said: it may be the password, set by mistake. */
function read(variable: string, file: string): string {
  const { text, problem } = readSecretFile(variable, file);
  if (problem !== undefined) throw new InvalidInputError(problem);
  return text;
}
