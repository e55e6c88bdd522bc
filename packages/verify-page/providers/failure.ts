import type { FailureReason } from "../messages.ts";

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
