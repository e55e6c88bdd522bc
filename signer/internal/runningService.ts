import type { CurveName } from "./curve/curve.ts";

/** A service that accepts requests. */
export interface RunningService {
  /** Where clients reach it, without a slash at the end. */
  readonly url: string;
  /** The page where a user proves an account. */
  readonly verifyUrl: string;
  readonly port: number;
  /** Where metrics are served, where they have a port of their own. */
  readonly metricsUrl: string | undefined;
  /** The signer's address, which the registry's allowlist must hold; of two, the one that signed at the start. */
  readonly signer: string;
  /** What signatures are computed with. */
  readonly curve: CurveName;
  /** Why that is not native code, where nobody wanted another. */
  readonly noNativeCurve: string | undefined;
  /** Lets the process end while the service runs. */
  unref(): void;
  /** Takes no new request, lets those under way end, and closes the store. */
  close(): Promise<void>;
  /** Answers 503 at `/readyz`, and everything else as before, until proxies have seen it; then closes. */
  retire(): Promise<void>;
}
