/** An implementation of secp256k1. The caller checks the lengths of all bytes. */
export interface Secp256k1 {
  /**
   * Recovers a public key.
   *
   * @param signature 64 bytes, r and s.
   * @param digest 32 bytes.
   * @returns The public key, 65 bytes; `undefined` if r or s is 0 or too large, or no point has the r.
   */
  recover(signature: Uint8Array, parity: 0 | 1, digest: Uint8Array): Uint8Array | undefined;
  /**
   * Signs according to RFC 6979, with a low s; `undefined` if the private key is not valid. Keeps no copy of the key.
   *
   * @param digest 32 bytes.
   * @param privateKey 32 bytes.
   */
  sign(
    digest: Uint8Array,
    privateKey: Uint8Array,
  ): { readonly signature: Uint8Array; readonly parity: number } | undefined;
}
