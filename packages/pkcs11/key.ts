/** The place of a key on a token, with the PIN of the token's user. */
export interface TokenKeyPlace {
  /** The token's label. */
  readonly token: string;
  /** The key's label, or its id in hex digits. */
  readonly object: { readonly label: string } | { readonly id: string };
  readonly pin: string;
}

/** An open key. A token that was removed is opened again as soon as it is back. */
export interface TokenKey {
  /** The public key as the token stores it: 33 or 65 bytes. */
  readonly publicKey: Uint8Array;
  /**
   * @param digest 32 bytes.
   * @returns 64 bytes: r and s, which may be high.
   */
  sign(digest: Uint8Array): Promise<Uint8Array>;
  /** Fails if the key could not sign now. */
  check(): Promise<void>;
}
