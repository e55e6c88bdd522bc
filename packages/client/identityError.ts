import type { ServiceErrorCode } from "@hardhat-identity/protocol/errors";
import { membersOf } from "@hardhat-identity/protocol/json";
import type { Receipt } from "@hardhat-identity/protocol/receipt";

/**
 * The next step after an error:
 *
 * - `redirect`: Send the user to `verifyUrl`.
 * - `show`: Tell the user.
 * - `rebuild`: Start again with a new sign-in message, or fix the argument.
 * - `fix-contract`: Fix the consumer, its address or its chain.
 * - `retry-later`: Try again, after `retryAfter` seconds or at `retryAt` if present.
 */
export type IdentityErrorAction = "redirect" | "show" | "rebuild" | "fix-contract" | "retry-later";

/** Every code with its action. Lower-case codes come from the service, upper-case codes from this library. */
export const identityErrorActions = {
  verification_not_found: "redirect",
  needs_reauth: "redirect",
  conditions_not_satisfied: "show",
  invalid_argument: "rebuild",
  contract_not_found: "fix-contract",
  invalid_policy: "fix-contract",
  not_found: "rebuild",
  method_not_allowed: "rebuild",
  payload_too_large: "rebuild",
  unsupported_media_type: "rebuild",
  rate_limited: "retry-later",
  chain_unavailable: "retry-later",
  store_unavailable: "retry-later",
  overloaded: "retry-later",
  not_ready: "retry-later",
  internal: "retry-later",
  INVALID_ARGUMENT: "rebuild",
  NETWORK_ERROR: "retry-later",
  INVALID_RESPONSE: "retry-later",
  USER_REJECTED: "show",
  WRONG_CHAIN: "show",
  WRONG_ACCOUNT: "show",
  RPC_ERROR: "show",
  VERIFICATION_EXPIRED: "rebuild",
  PACE_EXCEEDED: "retry-later",
  WRONG_CLOCK: "show",
  OUTCOME_UNKNOWN: "show",
  REPLACED: "show",
  REVERTED: "show",
  PARTIALLY_REVERTED: "show",
  BATCH_FAILED: "show",
} as const satisfies Record<ServiceErrorCode | Uppercase<string>, IdentityErrorAction>;

/** Every `code` of an `IdentityError`. */
export type IdentityErrorCode = keyof typeof identityErrorActions;

/** The optional fields of an {@link IdentityError}. */
export interface IdentityErrorDetails {
  readonly cause?: unknown;
  readonly argument?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly verifyUrl?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly retryAt?: number | undefined;
  readonly rpcCode?: number | undefined;
  readonly revertData?: string | undefined;
  readonly receipts?: readonly Receipt[] | undefined;
}

/**
 * The only error of this library. Its message never holds a sign-in message or a signature.
 *
 * @example
 * ```ts
 * import { IdentityError, requestVerification } from "@hardhat-identity/client";
 *
 * try {
 *   await requestVerification({ baseUrl: "https://identity.example", message: "no sign-in message", signature: "0x00" });
 * } catch (error) {
 *   if (!(error instanceof IdentityError)) throw error;
 *   if (error.action === "redirect") location.assign(error.verifyUrl ?? "");
 *   console.log(error.code); // invalid_argument
 *   console.log(error.action); // rebuild
 * }
 * ```
 */
export class IdentityError extends Error {
  override readonly name = "IdentityError";
  readonly code: IdentityErrorCode;
  readonly action: IdentityErrorAction;
  /** With `INVALID_ARGUMENT`, such as `args.amount`. */
  readonly argument: string | undefined;
  /** The service's HTTP status. */
  readonly status: number | undefined;
  /** The service's `x-request-id`, which its log repeats. */
  readonly requestId: string | undefined;
  /** With the action `redirect`: the page to send the user to. */
  readonly verifyUrl: string | undefined;
  /** Seconds to wait. */
  readonly retryAfter: number | undefined;
  /** With `PACE_EXCEEDED`: when the contract admits people again, in unix seconds. */
  readonly retryAt: number | undefined;
  /** The JSON-RPC code of the node or wallet. */
  readonly rpcCode: number | undefined;
  /** The revert data, if the node or wallet returned it. */
  readonly revertData: string | undefined;
  /** With `REVERTED`, `PARTIALLY_REVERTED` and `REPLACED`, after a wait. */
  readonly receipts: readonly Receipt[] | undefined;

  /** Recognizes the errors of another copy of this library, too: an app and a package of it may each have one. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: A subclass inherits this, and must not.
    if (this !== IdentityError) return Function.prototype[Symbol.hasInstance].call(this, value);
    const { name, code, action } = membersOf(value);
    return name === "IdentityError" && typeof code === "string" && typeof action === "string";
  }

  constructor(code: IdentityErrorCode, message: string, details: IdentityErrorDetails = {}) {
    super(message, { cause: details.cause });
    Object.assign(this, details);
    this.code = code;
    this.action = identityErrorActions[code];
  }
}
