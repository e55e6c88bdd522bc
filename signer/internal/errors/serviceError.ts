import { type Problem, serviceErrors, verifyPageErrors } from "@hardhat-identity/protocol/errors";

/** An error that is sent to the client. Any other error becomes `internal`, without details. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: Problem["code"];
  /** The URL to send the user to, with `verification_not_found` and `needs_reauth`. */
  readonly verifyUrl: string | undefined;
  /** Seconds after which to try again. */
  readonly retryAfter: number | undefined;
  /** The service's time, if it refused a message for its times. */
  readonly serviceTime: Date | undefined;

  /** @param detail One sentence for the developer of the client. It may quote the request. */
  constructor(
    code: Problem["code"],
    detail: string,
    options: { verifyUrl?: string; retryAfter?: number; serviceTime?: Date } = {},
  ) {
    super(detail);
    this.code = code;
    this.verifyUrl = options.verifyUrl;
    this.retryAfter = options.retryAfter;
    this.serviceTime = options.serviceTime;
  }

  /** Returns the body of the response, as in RFC 9457. */
  toProblem(): Problem {
    const { status, title } = { ...serviceErrors, ...verifyPageErrors }[this.code];
    return {
      type: `urn:hardhat-identity:problem:${this.code}`,
      title,
      status,
      detail: this.message,
      message: this.message,
      code: this.code,
      ...(this.verifyUrl === undefined ? {} : { verifyUrl: this.verifyUrl }),
      ...(this.serviceTime === undefined ? {} : { serviceTime: this.serviceTime.toISOString() }),
    };
  }
}

/** The service can serve nobody right now. The cause is for the operator, and only in the log. */
export const notReady = (what: "sign" | "tell the time") =>
  new ServiceError("not_ready", `The service cannot ${what} right now; its operator has to act.`, {
    retryAfter: 10,
  });
