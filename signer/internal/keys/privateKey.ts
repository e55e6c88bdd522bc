import { computeAddress, getBytes } from "ethers";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Curve } from "../curve/curve.ts";
import type { KeySource } from "./keySource.ts";

/**
 * Opens a key that is held in memory.
 *
 * @param privateKey 32 bytes hex.
 * @param setting The name of the setting, for errors.
 * @throws InvalidInputError when it is not a key of secp256k1: 0, or not below the curve's order.
 */
export function privateKeySource(
  privateKey: string,
  curve: Curve,
  setting = "IDENTITY_SIGNING_KEY",
): KeySource {
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
