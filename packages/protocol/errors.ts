/** Bad input. The message names the input, the value that it got and the value that it wants. */
export class InvalidInputError extends Error {
  override readonly name = "InvalidInputError";
}

/**
 * Every error that the service returns over HTTP: code → status and title. The first six are the specification's.
 */
export const serviceErrors = {
  contract_not_found: { status: 404, title: "Contract not found" },
  verification_not_found: { status: 404, title: "Verification not found" },
  needs_reauth: { status: 404, title: "Authentication too old" },
  conditions_not_satisfied: { status: 400, title: "Conditions not satisfied" },
  invalid_policy: { status: 400, title: "Invalid policy" },
  invalid_argument: { status: 400, title: "Invalid argument" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  payload_too_large: { status: 413, title: "Payload too large" },
  unsupported_media_type: { status: 415, title: "Unsupported media type" },
  rate_limited: { status: 429, title: "Too many requests" },
  internal: { status: 500, title: "Internal error" },
  chain_unavailable: { status: 503, title: "Chain unavailable" },
  store_unavailable: { status: 503, title: "Store unavailable" },
  overloaded: { status: 503, title: "Service overloaded" },
  not_ready: { status: 503, title: "Service not ready" },
} as const;

/** The `code` member of a problem, as a client of the service may meet it. */
export type ServiceErrorCode = keyof typeof serviceErrors;

/** Further errors of the verify page's endpoints, which only the page itself calls. */
export const verifyPageErrors = {
  not_signed_in: { status: 401, title: "Not signed in" },
  foreign_origin: { status: 403, title: "Request of another page" },
  stale_page: { status: 409, title: "Page out of date" },
} as const;

export type VerifyPageErrorCode = keyof typeof verifyPageErrors;

/** Body of every error response: RFC 9457 `application/problem+json` with the specification's `code`. */
export interface Problem<Code extends string = ServiceErrorCode | VerifyPageErrorCode> {
  /** A URI that identifies the code. */
  readonly type: string;
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /** One sentence for developers. Its wording may change. */
  readonly detail: string;
  /** The same as `detail`. */
  readonly message: string;
  /** The stable identifier for programs. */
  readonly code: Code;
  /** Where to send the user; with `verification_not_found` and `needs_reauth` only. */
  readonly verifyUrl?: string;
  /** The service's time, RFC 3339; if it refused a message for its times, because the device's clock may be wrong. */
  readonly serviceTime?: string;
}
