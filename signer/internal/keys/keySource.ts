import { hashText } from "@hardhat-identity/protocol/hashes";
import type { Hex } from "@hardhat-identity/protocol/hex";

/**
 * Signs verifications. The key itself may be outside the process. An operator can bring a source of their own: any error
 * that it throws counts as unavailable, and its message goes to the log.
 */
export interface KeySource {
  /** The signer's address, checksummed. */
  readonly address: string;
  /**
   * Signs a digest of 32 bytes.
   *
   * @returns 65 bytes hex: r, low s, v of 27 or 28. A source of an operator's own may return r and s alone (64 bytes), or
   * a signature in DER, as cloud KMS do, with any s: the service completes it.
   * @throws KeyUnavailableError when the key's holder does not sign now.
   */
  sign(digest: string): Promise<Hex>;
  /**
   * Checks without a signature whether the key could sign now. Called at most once a second.
   *
   * @throws KeyUnavailableError when it could not sign.
   */
  check(): Promise<void>;
}

/** The key's holder is unavailable or refuses to sign. The message tells the operator why, and contains no secret. */
export class KeyUnavailableError extends Error {
  override readonly name = "KeyUnavailableError";
}

/** The digest of a trial signature. No contract accepts it, because it is not a digest of typed data. */
export const trialDigest = hashText("hardhat-identity tries its signing key");
