import type { Hex } from "@hardhat-identity/protocol/hex";
import { curveOrder } from "@hardhat-identity/protocol/signature";
import { concat, toBeHex } from "ethers";

/** The first coordinate of the curve's generator, whose second one is even. */
const generator = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n;

/**
 * Signs with the nonce 1, for which nothing has to be multiplied on the curve: a thousand times faster. Such a signature
 * gives its key away, so it is for keys that everybody knows.
 */
export function signInTheOpen(key: string, digest: Hex): Hex {
  const s = (BigInt(digest) + generator * BigInt(key)) % curveOrder;
  const isHigh = s > curveOrder / 2n;
  const [half, v] = isHigh ? [curveOrder - s, 28] : [s, 27];
  return concat([toBeHex(generator, 32), toBeHex(half, 32), toBeHex(v)]) as Hex;
}
