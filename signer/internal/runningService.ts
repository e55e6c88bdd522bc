/** A service that accepts requests. */
export interface RunningService {
  /** The URL at which clients reach it, without a slash at the end. */
  readonly url: string;
  /** The page where a user verifies an account. */
  readonly verifyUrl: string;
  readonly port: number;
  /** The URL of the separate port for metrics, if there is one. */
  readonly metricsUrl: string | undefined;
  /** The signer's address, which must be on the registry's allowlist; of two signers, the active one at the start. */
  readonly signer: string;
  /** Lets the process end while the service runs. */
  unref(): void;
  /** Accepts no new requests, lets those under way end, and closes the store. */
  close(): Promise<void>;
  /** Answers 503 at `/readyz` and all other requests as before, until proxies have noticed; then closes. */
  retire(): Promise<void>;
}
