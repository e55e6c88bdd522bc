/** `GET /healthz`: the process runs. */
export interface Health {
  readonly status: "ok";
}

/** One thing that the service needs. */
export interface ReadinessCheck {
  readonly ok: boolean;
  /** If it is not ok: what is wrong, and what the operator can do. `signer` also names the active signer during a rotation. */
  readonly detail?: string;
}

/** `GET /readyz`: whether verifications can be issued. */
export interface ReadinessReport {
  /**
   * `ready` when every check except `erasure` is ok: verifications do not wait for an erasure. `ending` when the service was
   * asked to stop, whatever the checks say.
   */
  readonly status: "ready" | "not_ready" | "ending";
  readonly checks: {
    /** The node answers, for the configured chain. */
    readonly chain: ReadinessCheck;
    /** This machine's clock and the chain's latest block are at most a minute apart. */
    readonly clock: ReadinessCheck;
    /** The credential store answers, and takes writes. */
    readonly store: ReadinessCheck;
    /** The signing key can be used. A PKCS#11 token may be unavailable. */
    readonly key: ReadinessCheck;
    /** The registry accepts what the service signs. */
    readonly signer: ReadinessCheck;
    /** No deleted or replaced credential is left in the store's write-ahead log. */
    readonly erasure: ReadinessCheck;
  };
}
