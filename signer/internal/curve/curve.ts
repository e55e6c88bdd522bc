import type { Recovery } from "@hardhat-identity/protocol/chain/signature";
import type { Hex } from "@hardhat-identity/protocol/hex";

/** Signs and recovers signers on secp256k1. */
export interface Curve extends Recovery {
  /** Machine code, or plain JavaScript, some ten times as slow. */
  readonly name: "native" | "portable";
  /**
   * Signs according to RFC 6979.
   *
   * @param digest 32 bytes hex.
   * @param privateKey 32 bytes, of which no copy is kept.
   * @returns 65 bytes hex: r, low s, v of 27 or 28.
   * @throws TypeError when the digest or the key is not valid.
   */
  sign(digest: string, privateKey: Uint8Array): Hex;
}

/** Whether a text is 32 bytes of hex. */
export const isDigest = (text: string): boolean => /^0x[0-9a-fA-F]{64}$/.test(text);
