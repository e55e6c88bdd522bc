import { createECDH } from "node:crypto";
import { bytesToHex } from "@hardhat-identity/protocol/bytes";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { parseHex } from "@hardhat-identity/protocol/hex";
import { describeChangeable } from "@hardhat-identity/store/files/exposure";
import { requireSecretFile } from "@hardhat-identity/store/files/secretFiles";
import type { Curve } from "../curve/curve.ts";
import { publicKeyAddress } from "../curve/publicKey.ts";
import type { KeyLocation } from "./keyLocation.ts";
import type { KeySource } from "./keySource.ts";
import { decryptKeystore, readKeystore } from "./keystore.ts";
import { adoptSource, moduleSource } from "./moduleKey.ts";

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
      return keystoreSource(location, curve, setting);
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
  const key = parseHex(privateKey);
  return {
    address: addressOf(key, setting),
    sign: async (digest) => curve.sign(digest, key),
    check: async () => undefined,
  };
}

function addressOf(privateKey: Uint8Array, setting: string): string {
  try {
    // Node's own: the portable curve would first compute a table, which took a sixteenth of the start.
    const pair = createECDH("secp256k1");
    pair.setPrivateKey(privateKey);
    return publicKeyAddress(pair.getPublicKey());
  } catch {
    // The error has no cause, because that may contain the key.
    throw new InvalidInputError(
      `The signing key is not valid: ${setting} must be above 0 and below secp256k1's order.`,
    );
  }
}

/** Opens a key in a file in the format of Web3 Secret Storage (version 3). */
async function keystoreSource(
  { file, passwordFile }: { file: string; passwordFile: string },
  curve: Curve,
  setting: string,
): Promise<KeySource> {
  const keystore = readKeystore(requireSecretFile(`${setting} (keystore)`, file));
  const password = readKeystorePassword(`${setting} (password-file)`, passwordFile);
  if (keystore === undefined) {
    throw new InvalidInputError(
      `The file that ${setting} names is not a keystore of Web3 Secret Storage version 3.`,
    );
  }
  const refuse = (reason: string) =>
    new InvalidInputError(`The keystore that ${setting} names cannot be opened: ${reason}.`);
  const privateKey = await decryptKeystore(keystore, password).catch((error: Error) => {
    throw refuse(error.message);
  });
  if (privateKey === undefined) {
    throw new InvalidInputError(
      `The password in the password-file of ${setting} does not open its keystore.`,
    );
  }
  const source = privateKeySource(`0x${bytesToHex(privateKey)}`, curve, setting);
  const { address = source.address } = keystore;
  if (address.replace(/^0x/i, "").toLowerCase() !== source.address.slice(2).toLowerCase()) {
    throw refuse(`it holds the key of ${source.address}, and says that it is of ${address}`);
  }
  return source;
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
