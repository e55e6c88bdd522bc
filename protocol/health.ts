/** `GET /healthz`: the process runs. */
export interface Health {
  readonly status: "ok";
}

/** One thing that the service needs. */
export interface ReadinessCheck {
  readonly ok: boolean;
  /** When it is not: what is wrong, and what its operator can do. Of `signer` also: who signs, where there is a next one. */
  readonly detail?: string;
}

/** `GET /readyz`: whether verifications can be issued. */
export interface ReadinessReport {
  /**
   * `ready` when every check is ok but for `erasure`, which nobody who asks for a verification has to wait for; `ending`,
   * whatever the checks say, when the service was asked to end.
   */
  readonly status: "ready" | "not_ready" | "ending";
  readonly checks: {
    /** The node answers, for the configured chain. */
    readonly chain: ReadinessCheck;
    /** This machine's clock and the chain's latest block are a minute apart at most. */
    readonly clock: ReadinessCheck;
    /** The credential store answers, and takes writes. */
    readonly store: ReadinessCheck;
    /** The signing key can be used: a token may be away. */
    readonly key: ReadinessCheck;
    /** The registry accepts what the service signs. */
    readonly signer: ReadinessCheck;
    /** Nothing that was deleted or replaced still stands in the store's log. */
    readonly erasure: ReadinessCheck;
  };
}
