import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Curve } from "../curve/curve.ts";
import { requireSecretFile } from "../files/secretFiles.ts";
import type { KeySource } from "./keySource.ts";
import { adoptSource } from "./moduleKey.ts";

/**
 * Opens a key that a PKCS#11 library signs with, such as a key of an HSM or a smart card, with the optional package
 * `@hardhat-identity/pkcs11`.
 *
 * @param setting The name of the setting, for errors.
 * @throws InvalidInputError when the key cannot be used as configured. The PIN is tried once.
 */
export async function pkcs11Source(
  uri: string,
  curve: Curve,
  setting = "IDENTITY_SIGNING_KEY",
): Promise<KeySource> {
  const { openKey } = await import("#pkcs11").catch(() => {
    throw new InvalidInputError(
      `${setting}: a key on a token needs the package @hardhat-identity/pkcs11, which is not installed.`,
    );
  });
  const readPin = (file: string) => requireSecretFile("pin-source", file).trim();
  const source = await openKey(uri, readPin).catch((error: Error) => {
    const isInput = error.name === "InvalidInputError";
    throw new InvalidInputError(`${setting}: ${isInput ? "" : "It cannot be used: "}${error.message}`);
  });
  return adoptSource(source, curve, setting);
}
