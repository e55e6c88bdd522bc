import { computeAddress, SigningKey } from "ethers";
import type { Hex } from "../../../protocol/hex.ts";
import type { KeySource } from "./source.ts";

/** A key that is held in memory, 32 bytes hex. */
export function privateKeySource(privateKey: string): KeySource {
  const key = new SigningKey(privateKey);
  return {
    address: computeAddress(key),
    sign: async (digest) => key.sign(digest).serialized as Hex,
  };
}
