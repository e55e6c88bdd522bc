/** A client exceeded its limit (`rate_limited`), or the service has too much to do (`overloaded`). */
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
