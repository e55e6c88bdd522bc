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
 * - `fix-integration`: Fix the app: it asks a wrong URL, or in a wrong way.
 * - `retry-later`: Try again, after `retryAfter` seconds or at `retryAt` if present.
 */
export type IdentityErrorAction =
  | "redirect"
  | "show"
  | "rebuild"
  | "fix-contract"
  | "fix-integration"
  | "retry-later";

/** Every code with its action. Codes that begin with `client_` come from this library, the others from the service. */
export const identityErrorActions = {
  verification_not_found: "redirect",
  needs_reauth: "redirect",
  conditions_not_satisfied: "show",
  invalid_argument: "rebuild",
  contract_not_found: "fix-contract",
  invalid_policy: "fix-contract",
  not_found: "fix-integration",
  method_not_allowed: "fix-integration",
  payload_too_large: "rebuild",
  unsupported_media_type: "fix-integration",
  rate_limited: "retry-later",
  chain_unavailable: "retry-later",
  store_unavailable: "retry-later",
  overloaded: "retry-later",
  not_ready: "retry-later",
  internal: "retry-later",
  client_invalid_argument: "rebuild",
  client_network_error: "retry-later",
  client_invalid_response: "retry-later",
  client_user_rejected: "show",
  client_wrong_chain: "show",
  client_wrong_account: "show",
  client_rpc_error: "show",
  client_verification_expired: "rebuild",
  client_pace_exceeded: "retry-later",
  client_wrong_clock: "show",
  client_outcome_unknown: "show",
  client_replaced: "show",
  client_reverted: "show",
  client_partially_reverted: "show",
  client_batch_failed: "show",
} as const satisfies Record<ServiceErrorCode | `client_${string}`, IdentityErrorAction>;

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
  /** With `client_invalid_argument`, such as `args.amount`. */
  readonly argument: string | undefined;
  /** The service's HTTP status. */
  readonly status: number | undefined;
  /** The service's `x-request-id`, which its log repeats. */
  readonly requestId: string | undefined;
  /** With the action `redirect`: the page to send the user to. */
  readonly verifyUrl: string | undefined;
  /** Seconds to wait. */
  readonly retryAfter: number | undefined;
  /** With `client_pace_exceeded`: when the contract admits people again, in unix seconds. */
  readonly retryAt: number | undefined;
  /** The JSON-RPC code of the node or wallet. */
  readonly rpcCode: number | undefined;
  /** The revert data, if the node or wallet returned it. */
  readonly revertData: string | undefined;
  /** With `client_reverted`, `client_partially_reverted` and `client_replaced`, after a wait. */
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
