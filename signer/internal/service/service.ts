import { readWallClock } from "@hardhat-identity/protocol/chain/clock";
import type { Chain } from "@hardhat-identity/protocol/chain/connect";
import { consumerReader } from "@hardhat-identity/protocol/chain/consumer";
import type { Recovery } from "@hardhat-identity/protocol/chain/signature";
import type { Hashes } from "@hardhat-identity/protocol/hashes";
import { type Hex, parseHex } from "@hardhat-identity/protocol/hex";
import { deriveKey } from "@hardhat-identity/protocol/keys";
import { type ProtocolHashes, protocolHashes } from "@hardhat-identity/protocol/protocolHashes";
import type { VerificationRequest } from "@hardhat-identity/protocol/verification";
import type { CredentialStore } from "@hardhat-identity/store/credentials/credential";
import { measureCalls } from "@hardhat-identity/store/database/storeCalls";
import type { Logger } from "@hardhat-identity/store/logger";
import type { SignerConfig } from "../config/config.ts";
import { followKey, type SigningKeys } from "../keys/signingKeys.ts";
import { limitWallets } from "../limits/walletLimit.ts";
import type { Metrics } from "../monitoring/metrics.ts";
import { type Issuer, issueVerification } from "./issueVerification.ts";
import { createPolicyPins } from "./policyPins.ts";
import { watchReadiness } from "./readiness.ts";
import type { Secrets } from "./secrets.ts";
import { createTraffic } from "./traffic.ts";

/** The service, in parts for its API and for its pages. */
export type Service = ReturnType<typeof createService>;

/** The part of the service that pages for people need. */
export type PagesService = Service["pages"];

/**
 * Creates the service from its parts, none of which depends on it.
 *
 * @param input.isLocal Whether the node says that it is a local one, asked again at intervals; see watchLocality.
 * @param input.publicUrl The URL at which clients reach the service, without a slash at the end. Neither URL depends on the
 * `Host` header.
 */
export function createService(input: {
  config: SignerConfig;
  logger: Logger;
  metrics: Metrics;
  chain: Chain;
  hashes: Hashes;
  recovery: Recovery;
  secrets: Secrets;
  store: CredentialStore;
  publicUrl: string;
  verifyUrl: string;
  isLocal: () => Promise<boolean>;
}) {
  const { config, logger, metrics, chain, hashes, recovery, secrets, publicUrl, verifyUrl, isLocal } = input;
  const { registry, chainId } = config;
  const { development } = secrets;
  const signingKeys = followSigners(registry, secrets, input);
  const enterAnything: EnterAnything = ({ enter }) =>
    enter({ event: "signer-used", chainId, signer: signingKeys.signer() });
  const { store, check: checkStore } = measureStore(input.store, metrics, enterAnything);
  const masterSecret = parseHex(secrets.masterSecret);
  const identityKey = deriveKey(masterSecret, "identity");
  const protocol = protocolHashes(hashes);
  const hashPolicy = protocol.policyHasher(chainId);
  const traffic = createTraffic(chain, metrics);
  const { makeLimiter, spendGas } = traffic;
  const readiness = watchReadiness({
    logger,
    chain,
    store,
    checkStore,
    keys: signingKeys,
    development,
    isLocal,
    onTime: ({ latest: { timestamp } }) => {
      metrics.latestBlock.set(timestamp);
      metrics.clockAhead.set(readWallClock() - timestamp);
    },
  });
  const noteSigner = signerNotes(store, chainId);
  const issuer: Issuer = {
    config,
    chain,
    store,
    readiness,
    development,
    hashPolicy,
    recovery,
    verifyUrl,
    async enter(signed) {
      await noteSigner(signed.signer);
      await store.enter({ event: "verification-signed", chainId, ...signed });
    },
    // Not measured with the requests' calls, because no request waits for it.
    countRefusal: (consumer, { code }) => void input.store.countRefusal({ chainId, consumer }, code),
    spendGas,
    readConsumer: consumerReader({
      chain,
      allowlist: signingKeys.allowlist,
      isLocal: async () => development,
      keeps: async () => !development && !(await isLocal()),
    }),
    limitWallet: limitWallets(config.walletRateLimit, makeLimiter),
    requirePinned: createPolicyPins({ store, chainId, hashPolicy, development }),
    compose: protocol.verificationComposer({ chainId, registry, identityKey }),
  };
  return {
    readiness,
    signingKeys,
    /** Enters the signer in the audit trail, at the start. */
    noteSigner: () => noteSigner(secrets.signingKey.address),
    /** For the endpoints of apps and operators. */
    api: {
      config,
      logger,
      metrics,
      readiness,
      signingKeys,
      makeLimiter,
      requests: traffic.requests,
      publicUrl,
      verifyUrl,
      testIdentity: hashTestIdentity(protocol, masterSecret, chainId),
      async renderMetrics(): Promise<string> {
        traffic.measureWaiting();
        // The scrapes' own calls of the store are not measured.
        return metrics.render(await readiness.check(), input.store);
      },
      issue: (asked: Parameters<typeof issueVerification>[1], request: VerificationRequest) =>
        issueVerification(issuer, asked, request),
    },
    /** For the pages. */
    pages: {
      config,
      logger,
      metrics,
      readiness,
      store,
      chain,
      recovery,
      spendGas,
      makeLimiter,
      publicUrl,
      verifyUrl,
      development,
      /** Seals cookies. */
      sessionKey: deriveKey(masterSecret, "session"),
    },
  };
}

/** Enters a signer in the audit trail, unless it is the last one that this process has entered. */
function signerNotes(store: CredentialStore, chainId: number) {
  let noted: string | undefined;
  return async (signer: string): Promise<void> => {
    if (signer === noted) return;
    await store.enter({ event: "signer-used", chainId, signer });
    noted = signer;
  };
}

/** The hash of an identity that no provider has, at no consumer: tells whether two services have one master secret. */
function hashTestIdentity(
  { identityHash, pseudonym }: ProtocolHashes,
  masterSecret: Uint8Array,
  chainId: number,
): Hex {
  const accountKey = deriveKey(masterSecret, "account");
  return identityHash({
    identityKey: deriveKey(masterSecret, "identity"),
    chainId,
    consumer: `0x${"0".repeat(40)}`,
    pseudonym: pseudonym({ accountKey, provider: "", accountId: "" }),
  });
}

/** Follows the allowlist, and shows in the metrics and the log which signer is active. */
function followSigners(
  registry: string,
  { signingKey, nextSigningKey }: Secrets,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
): SigningKeys {
  return followKey({
    registry,
    signingKey,
    nextSigningKey,
    tell(signer, detail) {
      for (const { address } of [signingKey, nextSigningKey].filter((key) => key !== undefined)) {
        metrics.signers.set({ signer: address }, address === signer ? 1 : 0);
      }
      if (detail !== undefined) logger.info({ signer }, detail);
    },
  });
}

type EnterAnything = (store: CredentialStore) => Promise<void>;

/** Measures the calls of the store that requests make. */
const measureStore = (store: CredentialStore, metrics: Metrics, enterAnything: EnterAnything) =>
  measureCalls(store, {
    writes: ["enter", "set", "delete", "pin", "raiseCutoff", "spendNonce"],
    enterAnything,
    measure: (operation) => {
      const durations = {
        done: metrics.storeCalls.labels({ operation, outcome: "done" }),
        failed: metrics.storeCalls.labels({ operation, outcome: "failed" }),
      };
      return (outcome, seconds) => durations[outcome].observe(seconds);
    },
  });
