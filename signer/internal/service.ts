import { getBytes } from "ethers";
import type { Chain } from "../../chain/connect.ts";
import { type ConsumerReading, consumerReader } from "../../chain/consumer.ts";
import { watchLocality } from "../../chain/localNode.ts";
import type { OnchainPolicy } from "../../chain/policy.ts";
import { deriveKey } from "../../protocol/keys.ts";
import type { SignerConfig } from "./config.ts";
import { measureStore } from "./credentials/measureStore.ts";
import type { CredentialStore } from "./credentials/store.ts";
import type { KeySource } from "./keys/source.ts";
import type { Logger } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { createPolicyPins } from "./policyPins.ts";
import { usesPlainHttp } from "./providers/plainHttp.ts";
import { type Readiness, watchReadiness } from "./readiness.ts";
import type { Secrets } from "./secrets.ts";
import { limitWallets } from "./walletLimit.ts";

/** What the endpoints work with: made once, at start. */
export interface Service {
  readonly config: SignerConfig;
  readonly logger: Logger;
  readonly chain: Chain;
  readonly store: CredentialStore;
  readonly signingKey: KeySource;
  /** Derives identity hashes; see protocol/identityHash.ts. */
  readonly identityKey: Uint8Array;
  /** Seals the verify page's cookies. */
  readonly sessionKey: Uint8Array;
  readonly readConsumer: (consumer: string) => Promise<ConsumerReading>;
  readonly readiness: Readiness;
  /** Where clients reach the service, without a slash at the end. */
  readonly publicUrl: string;
  /** The page where a user proves an account, as configured: whatever a `Host` header says. */
  readonly verifyUrl: string;
  /** Folder of the verify page's bundle; without it there is no page. */
  readonly verifyBundle: string | undefined;
  /** Whether the chain was a local node at start. */
  readonly startsLocal: boolean;
  /** Whether development secrets are in use and the node says that it is a local one: its word alone grants nothing. */
  readonly localPrivileges: () => Promise<boolean>;
  /** Refuses a contract whose policy changed; see policyPins.ts. */
  readonly demandPinned: (consumer: string, onchain: OnchainPolicy) => Promise<void>;
  /** Counts a request of a wallet; see walletLimit.ts. */
  readonly limitWallet: (wallet: string) => void;
  readonly metrics: Metrics;
}

/** Path at which the service has its verify page. */
export const verifyRoute = "/verify";

/**
 * Makes the service out of its parts, none of which knows it.
 *
 * @param input.startsLocal Whether the chain is a local node now.
 * @param input.verifyBundle Folder of the verify page's bundle.
 */
export function createService(input: {
  config: SignerConfig;
  logger: Logger;
  metrics: Metrics;
  chain: Chain;
  secrets: Secrets;
  store: CredentialStore;
  publicUrl: string;
  startsLocal: boolean;
  verifyBundle: string | undefined;
}): Service {
  const { config, logger, metrics, chain, secrets, publicUrl, startsLocal, verifyBundle } = input;
  const store = measureStore(input.store, metrics);
  const { registry } = config;
  const signer = secrets.signingKey.address;
  const isLocal = watchLocality(chain);
  const localPrivileges = async () => secrets.development && (await isLocal());
  const development = secrets.development || usesPlainHttp(config.providers);
  const masterSecret = getBytes(secrets.masterSecret);
  return {
    config,
    logger,
    chain,
    store,
    signingKey: secrets.signingKey,
    identityKey: deriveKey(masterSecret, "identity"),
    sessionKey: deriveKey(masterSecret, "session"),
    readConsumer: consumerReader({ chain, registry, signer, isLocal }),
    readiness: watchReadiness({ logger, chain, store, registry, signer, development, isLocal }),
    publicUrl,
    verifyUrl: config.verifyUrl ?? `${publicUrl}${verifyRoute}`,
    verifyBundle,
    startsLocal,
    localPrivileges,
    demandPinned: createPolicyPins({ store, chainId: config.chainId, localPrivileges }),
    limitWallet: limitWallets(config.walletRateLimit),
    metrics,
  };
}
