import { decryptKeystoreJson, isKeystoreJson } from "ethers";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Curve } from "../curve/curve.ts";
import { readSecretFile } from "../files/secretFiles.ts";
import type { KeySource } from "./keySource.ts";
import { privateKeySource } from "./privateKey.ts";

/**
 * Opens a key from a file in the format of Web3 Secret Storage (version 3).
 *
 * @param location.passwordFile The file with the password. One line break at its end is not part of the password.
 * @param setting The name of the setting, for errors.
 * @throws InvalidInputError when a file cannot be read or others can read it, or when the password does not open the
 * keystore.
 */
export async function keystoreSource(
  location: { file: string; passwordFile: string },
  curve: Curve,
  setting = "IDENTITY_SIGNING_KEY",
): Promise<KeySource> {
  const keystore = read(`${setting} (keystore)`, location.file);
  const password = read(`${setting} (password-file)`, location.passwordFile);
  if (!isKeystoreJson(keystore)) {
    throw new InvalidInputError(
      `The file that ${setting} names is not a keystore of Web3 Secret Storage version 3.`,
    );
  }
  const account = await decryptKeystoreJson(keystore, password.replace(/\r?\n$/, "")).catch(() => {
    throw new InvalidInputError(
      `The password in the password-file of ${setting} does not open its keystore.`,
    );
  });
  return privateKeySource(account.privateKey, curve, setting);
}

/** Reads a file. Errors do not contain its name, which may be the password, set by mistake. */
function read(what: string, file: string): string {
  const { text, problem } = readSecretFile(what, file);
  if (problem !== undefined) throw new InvalidInputError(problem);
  return text;
}
