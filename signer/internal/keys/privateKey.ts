import { computeAddress, getBytes } from "ethers";
import type { Curve } from "../curve/curve.ts";
import type { KeySource } from "./source.ts";

/** A key that is held in memory, 32 bytes hex. */
export function privateKeySource(privateKey: string, curve: Curve): KeySource {
  const key = getBytes(privateKey);
  return {
    address: computeAddress(privateKey),
    sign: async (digest) => curve.sign(digest, key),
  };
}
