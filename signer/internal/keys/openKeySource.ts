import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { computeAddress, decryptKeystoreJson, getBytes, isError, isKeystoreJson } from "ethers";
import type { Curve } from "../curve/curve.ts";
import { describeChangeable, requireSecretFile } from "../files/secretFiles.ts";
import type { KeyLocation } from "./keyLocation.ts";
import type { KeySource } from "./keySource.ts";
import { adoptSource, moduleSource } from "./moduleKey.ts";
import { useNativeScrypt } from "./nativeScrypt.ts";

/**
 * Opens a key where it is. The PIN of a token is tried once.
 *
 * @param setting The variable that says where, for error messages.
 */
export async function openKeySource(
  location: KeyLocation,
  setting: string,
  curve: Curve,
): Promise<KeySource> {
  switch (location.kind) {
    case "keystore":
      return privateKeySource(await decryptKeystore(location, setting), curve, setting);
    case "module":
      return moduleSource(location.file, curve, setting);
    case "pkcs11":
      return pkcs11Source(location.uri, curve, setting);
    case "private-key":
      return privateKeySource(location.privateKey, curve, setting);
  }
}

/**
 * Opens a key that is held in memory.
 *
 * @param privateKey 32 bytes hex.
 * @throws InvalidInputError when it is not a key of secp256k1: 0, or not below the curve's order.
 */
export function privateKeySource(privateKey: string, curve: Curve, setting: string): KeySource {
  const key = getBytes(privateKey);
  return {
    address: addressOf(privateKey, setting),
    sign: async (digest) => curve.sign(digest, key),
    check: async () => undefined,
  };
}

function addressOf(privateKey: string, setting: string): string {
  try {
    return computeAddress(privateKey);
  } catch {
    // The error has no cause, because that may contain the key.
    throw new InvalidInputError(
      `The signing key is not valid: ${setting} must be above 0 and below secp256k1's order.`,
    );
  }
}

/** Reads the private key from a file in the format of Web3 Secret Storage (version 3). */
async function decryptKeystore(
  { file, passwordFile }: { file: string; passwordFile: string },
  setting: string,
): Promise<string> {
  const keystore = requireSecretFile(`${setting} (keystore)`, file);
  const password = readKeystorePassword(`${setting} (password-file)`, passwordFile);
  if (!isKeystoreJson(keystore)) {
    throw new InvalidInputError(
      `The file that ${setting} names is not a keystore of Web3 Secret Storage version 3.`,
    );
  }
  useNativeScrypt();
  const account = await decryptKeystoreJson(keystore, password).catch((error) => {
    throw new InvalidInputError(
      isError(error, "INVALID_ARGUMENT") && error.argument === "password"
        ? `The password in the password-file of ${setting} does not open its keystore.`
        : `The keystore that ${setting} names cannot be opened: ${error.shortMessage ?? error.message}.`,
    );
  });
  return account.privateKey;
}

/** Reads a keystore's password. One line break at the file's end is not part of it. */
export const readKeystorePassword = (what: string, file: string): string =>
  requireSecretFile(what, file).replace(/\r?\n$/, "");

/** Opens a key of an HSM or a smart card with the optional package `@hardhat-identity/pkcs11`. */
async function pkcs11Source(uri: string, curve: Curve, setting: string): Promise<KeySource> {
  const { openKey } = await import("@hardhat-identity/pkcs11").catch(() => {
    throw new InvalidInputError(
      `${setting}: a key on a token needs the package @hardhat-identity/pkcs11, which is not installed.`,
    );
  });
  const readPin = (file: string) => requireSecretFile("pin-source", file).trim();
  const checkLibrary = (file: string) => {
    const problem = describeChangeable(file);
    if (problem !== undefined) throw new InvalidInputError(`The library ${file} is a file that ${problem}.`);
  };
  const source = await openKey(uri, readPin, checkLibrary).catch((error: Error) => {
    throw new InvalidInputError(`${setting}: ${error.message}`);
  });
  return adoptSource(source, curve, setting);
}
