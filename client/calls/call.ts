/** One call of a contract. */
export interface Call {
  /** The contract. */
  readonly to: string;
  /** Wei to send with it; none by default. */
  readonly value?: bigint | undefined;
  /** Call data, hex, as `encodeCall` returns it; none by default. */
  readonly data?: string | undefined;
}
