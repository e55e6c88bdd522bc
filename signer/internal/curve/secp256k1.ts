/** Code for the curve secp256k1 as it comes, on bytes whose lengths have been checked. */
export interface Secp256k1 {
  /**
   * @param signature 64 bytes, r and s.
   * @param digest 32 bytes.
   * @returns The public key, 65 bytes; `undefined` where r or s is 0 or too large, or r is on no point.
   */
  recover(signature: Uint8Array, parity: 0 | 1, digest: Uint8Array): Uint8Array | undefined;
  /**
   * Signs by RFC 6979 with a low s; `undefined` where the private key is none. Keeps no copy of it.
   *
   * @param digest 32 bytes.
   * @param privateKey 32 bytes.
   */
  sign(
    digest: Uint8Array,
    privateKey: Uint8Array,
  ): { readonly signature: Uint8Array; readonly parity: number } | undefined;
}
