import { computeAddress, getBytes, hexlify } from "ethers";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Curve } from "../curve/curve.ts";
import { requireSecretFile } from "../files/secretFiles.ts";
import { completeSignature } from "./completeSignature.ts";
import type { Pkcs11Key } from "./keyLocation.ts";
import { type KeySource, KeyUnavailableError, trialDigest } from "./keySource.ts";

/**
 * Opens a key that a PKCS#11 library signs with, such as a key of an HSM or a smart card, with the optional package
 * `@hardhat-identity/pkcs11`.
 *
 * @param setting The name of the setting, for errors.
 * @throws InvalidInputError when the key cannot be used as configured. The PIN is tried once.
 */
export async function pkcs11Source(
  location: Pkcs11Key,
  curve: Curve,
  setting = "IDENTITY_SIGNING_KEY",
): Promise<KeySource> {
  const { module, token, object } = location;
  const pin = readPin(location, setting);
  const { openTokenKey } = await import("#pkcs11").catch(() => {
    throw new InvalidInputError(
      `${setting}: a key on a token needs the package @hardhat-identity/pkcs11, which is not installed.`,
    );
  });
  try {
    const key = await openTokenKey(module, { token, object, pin });
    const address = computeAddress(hexlify(key.publicKey));
    const unavailable = (error: unknown) => {
      throw new KeyUnavailableError(`The token ${JSON.stringify(token)} does not sign: ${reasonOf(error)}`);
    };
    const source: KeySource = {
      address,
      async sign(digest) {
        const plain = await key.sign(getBytes(digest)).catch(unavailable);
        return completeSignature(plain, digest, address, curve);
      },
      check: () => key.check().catch(unavailable),
    };
    // Only a signature shows that the key may sign and belongs to the public key.
    await source.sign(trialDigest);
    return source;
  } catch (error) {
    const isInput = error instanceof Error && error.name === "InvalidInputError";
    throw new InvalidInputError(`${setting}: ${isInput ? "" : "It cannot be used: "}${reasonOf(error)}`);
  }
}

/** @throws InvalidInputError when the file with the PIN cannot be read, or others can read it. */
export function readPin({ pin }: Pkcs11Key, setting: string): string {
  if ("value" in pin) return pin.value;
  return requireSecretFile(`${setting} (pin-source)`, pin.file).trim();
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
