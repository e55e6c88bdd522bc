import type { Chain } from "../../chain/connect.ts";
import type { ConsumerReading } from "../../chain/consumer.ts";
import type { SignerConfig } from "./config.ts";
import type { CredentialStore } from "./credentials/store.ts";
import type { KeySource } from "./keys/source.ts";
import type { Logger } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Readiness } from "./readiness.ts";
import type { VerifyContext } from "./verify/context.ts";

/** What the endpoints work with: made once, at start. */
export interface Service {
  readonly config: SignerConfig;
  readonly logger: Logger;
  readonly chain: Chain;
  readonly store: CredentialStore;
  readonly signingKey: KeySource;
  /** Derives identity hashes; see protocol/identityHash.ts. */
  readonly identityKey: Uint8Array;
  readonly readConsumer: (consumer: string) => Promise<ConsumerReading>;
  readonly readiness: Readiness;
  /** Where clients reach the service, without a slash at the end. */
  readonly publicUrl: string;
  /** The page where a user proves an account. */
  readonly verifyUrl: string;
  readonly metrics: Metrics;
  /** `undefined` when the page is somebody else's. */
  readonly verify: VerifyContext | undefined;
}
