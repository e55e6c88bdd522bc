import { computeAddress, getBytes } from "ethers";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { Curve } from "../curve/curve.ts";
import type { KeySource } from "./keySource.ts";

/**
 * A key that is held in memory, 32 bytes hex.
 *
 * @param setting That it comes from.
 * @throws InvalidInputError when it is none of secp256k1: 0, or not below the curve's order.
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
    // Not as the cause: it may show the key.
    throw new InvalidInputError(
      `The signing key is none: that of ${setting} must be above 0 and below secp256k1's order.`,
    );
  }
}
