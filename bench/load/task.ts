/** A request ready to be sent, and the expected subject of its answer. */
export interface PreparedRequest {
  /** A path that an attacker reads, instead of a request for a verification. */
  readonly path?: string;
  /** JSON. */
  readonly body: string;
  /** The wallet, lower case hex. */
  readonly user: string;
  /** The hash of the policy of the contract that the message names, 32 bytes hex. */
  readonly policyHash: string;
}

/** The signer of every answer. */
export interface Signing {
  readonly chainId: number;
  readonly registry: string;
  /** Lower case hex. */
  readonly signer: string;
}

/** The times at which requests are sent. */
export type Pace =
  /** As soon as the previous request on its connection is answered. */
  | { readonly kind: "closed" }
  /** At random times, `rate` a second on average, whatever happens to other requests. */
  | { readonly kind: "open"; readonly rate: number }
  /** One at a time, `pauseMs` after the previous answer. */
  | { readonly kind: "idle"; readonly pauseMs: number };

/** A task of the load generator. */
export interface LoadTask {
  /** The service's URL, without a slash at the end. */
  readonly url: string;
  /** The service's process, whose time and memory are measured. */
  readonly pid: number;
  readonly pace: Pace;
  readonly connections: number;
  /** Sent in turn, repeatedly. */
  readonly requests: readonly PreparedRequest[];
  /** The limits on time and on requests. The task ends with the first one reached. */
  readonly seconds: number;
  readonly atMost?: number;
  readonly signing: Signing;
  /** Whether the task is an attacker's, from one address and without checks of the answers. */
  readonly isAttack?: boolean;
}

/** The outcome of a task. */
export interface LoadOutcome {
  /**
   * The number of answers other than 503. Each is right, because its signature was checked, except for an attacker's.
   */
  readonly checked: number;
  /** The number of answers with 503. */
  readonly overloaded: number;
  /** Seconds from the first request to the last answer. */
  readonly seconds: number;
  /** Milliseconds from the time at which a request should have been sent to its answer. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /** CPU time of the service, user and system. */
  readonly cpuSeconds: number;
  /** Resident memory of the service at the end of the task. */
  readonly residentBytes: number;
}
