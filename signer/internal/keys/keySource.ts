import type { Hex } from "../../../protocol/hex.ts";

/** Where verifications are signed; the key itself may be out of reach. */
export interface KeySource {
  /** The signer's address, checksummed. */
  readonly address: string;
  /**
   * Signs a digest of 32 bytes.
   *
   * @returns 65 bytes hex: r, low s, v of 27 or 28.
   * @throws KeyUnavailableError when what holds the key does not sign now.
   */
  sign(digest: string): Promise<Hex>;
  /**
   * Looks whether it could sign now, without a signature; asked once a second at most.
   *
   * @throws KeyUnavailableError when it could not.
   */
  check(): Promise<void>;
}

/** What holds the key is away, or refuses. The message is for the operator: it tells why, and no secret. */
export class KeyUnavailableError extends Error {
  override readonly name = "KeyUnavailableError";
}
