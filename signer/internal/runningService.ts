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
  /** Rejects when it cannot go on: its workers have ended, and no other one starts. Says nothing otherwise. */
  readonly failed: Promise<never>;
  /** Lets the process end while the service runs, where it has no workers. */
  unref(): void;
  /** Takes no new request, lets those under way end, and closes the store. */
  close(): Promise<void>;
}

/** Where a service is and who it signs as: what a message can tell of it. */
export type ServicePlace = Pick<
  RunningService,
  "url" | "verifyUrl" | "port" | "metricsUrl" | "signer" | "curve" | "noNativeCurve"
>;
