import { decryptKeystoreJson, isKeystoreJson } from "ethers";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Curve } from "../curve/curve.ts";
import { requireSecretFile } from "../files/secretFiles.ts";
import type { KeySource } from "./keySource.ts";
import { privateKeySource } from "./privateKey.ts";

/**
 * Opens a key from a file in the format of Web3 Secret Storage (version 3).
 *
 * @param location.passwordFile The file with the password, as {@link readKeystorePassword} reads it.
 * @param setting The name of the setting, for errors.
 * @throws InvalidInputError when a file cannot be read or others can read it, or when the password does not open the
 * keystore.
 */
export async function keystoreSource(
  location: { file: string; passwordFile: string },
  curve: Curve,
  setting = "IDENTITY_SIGNING_KEY",
): Promise<KeySource> {
  const keystore = requireSecretFile(`${setting} (keystore)`, location.file);
  const password = readKeystorePassword(`${setting} (password-file)`, location.passwordFile);
  if (!isKeystoreJson(keystore)) {
    throw new InvalidInputError(
      `The file that ${setting} names is not a keystore of Web3 Secret Storage version 3.`,
    );
  }
  const account = await decryptKeystoreJson(keystore, password).catch(() => {
    throw new InvalidInputError(
      `The password in the password-file of ${setting} does not open its keystore.`,
    );
  });
  return privateKeySource(account.privateKey, curve, setting);
}

/** Reads a keystore's password. One line break at the file's end is not part of it. */
export const readKeystorePassword = (what: string, file: string): string =>
  requireSecretFile(what, file).replace(/\r?\n$/, "");
