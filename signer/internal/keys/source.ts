import type { Hex } from "../../../protocol/hex.ts";

/** Where verifications are signed; the key itself may be out of reach. */
export interface KeySource {
  /** The signer's address, checksummed. */
  readonly address: string;
  /**
   * Signs a digest of 32 bytes.
   *
   * @returns 65 bytes hex: r, low s, v of 27 or 28.
   */
  sign(digest: string): Promise<Hex>;
}
