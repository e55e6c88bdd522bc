/** That a client asks for more than its share, or than can be done. */
export class LimitError extends Error {
  override readonly name = "LimitError";
  readonly code: "rate_limited" | "overloaded";
  /** Seconds after which to try again. */
  readonly retryAfter: number;

  /** @param message One sentence for the developer of the client. */
  constructor(code: LimitError["code"], message: string, retryAfter: number) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}
