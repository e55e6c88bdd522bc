/** A request that is ready to be sent, and what its answer must be about. */
export interface PreparedRequest {
  /** What is read instead of asking for a verification, as an attacker does. */
  readonly path?: string;
  /** JSON. */
  readonly body: string;
  /** The wallet, lower case hex. */
  readonly user: string;
  /** Of the contract that the message names, 32 bytes hex. */
  readonly policyHash: string;
}

/** Whose signature every answer must have. */
export interface Signing {
  readonly chainId: number;
  readonly registry: string;
  /** Lower case hex. */
  readonly signer: string;
}

/** When a request is sent. */
export type Pace =
  /** As soon as the one before it on its connection is answered. */
  | { readonly kind: "closed" }
  /** At its own time, by chance, so many a second on average, whatever becomes of the others. */
  | { readonly kind: "open"; readonly rate: number }
  /** One at a time, so many milliseconds after the answer before. */
  | { readonly kind: "idle"; readonly pause: number };

/** What the load generator is to send. */
export interface LoadTask {
  /** The service, without a slash at the end. */
  readonly url: string;
  /** Processes whose time and memory are taken: the service's. */
  readonly pid: number;
  readonly pace: Pace;
  readonly connections: number;
  /** Sent in turn, again and again. */
  readonly requests: readonly PreparedRequest[];
  /** It ends with whichever comes first. */
  readonly seconds: number;
  readonly atMost?: number;
  readonly signing: Signing;
  /** Whether it is an attacker's: from one address, and no answer is checked. */
  readonly isAttack?: boolean;
  /** Whether a 503 is counted instead of being a wrong answer, as where a machine may stand still for a moment. */
  readonly mayBeOverloaded?: boolean;
}

/** What came of it. */
export interface LoadOutcome {
  /** Answers other than 503; each of them, but for an attacker's, a right one: its signature was checked. */
  readonly checked: number;
  /** How many answers were 503. */
  readonly overloaded: number;
  /** From the first request to the last answer. */
  readonly seconds: number;
  /** Milliseconds from when a request should have been sent to its answer. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /** Of the service's processes together, user and system. */
  readonly cpuSeconds: number;
  /** Of the service's largest process when it ended. */
  readonly residentBytes: number;
}
