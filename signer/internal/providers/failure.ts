/**
 * Why proving an account failed: the person said no at the provider (`denied`), it does not answer in time
 * (`timeout`) or at all (`unreachable`), it has an error of its own (`provider_error`), it limits our rate
 * (`rate_limited`), it refuses the authorization or the token that it gave (`refused`), or answers what its
 * connector does not expect (`bad_answer`).
 */
export const failureReasons = [
  "denied",
  "timeout",
  "unreachable",
  "provider_error",
  "rate_limited",
  "refused",
  "bad_answer",
] as const;
export type FailureReason = (typeof failureReasons)[number];

/** Proving an account failed at the provider. The message is for the operator and names no account and no token. */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
  readonly provider: string;
  readonly reason: FailureReason;

  constructor(provider: string, reason: FailureReason, detail: string) {
    super(`Provider ${provider}: ${detail}`);
    this.provider = provider;
    this.reason = reason;
  }
}
