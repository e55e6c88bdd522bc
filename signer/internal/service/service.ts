import { readWallClock } from "@hardhat-identity/chain/clock";
import { type Chain, ChainUnavailableError } from "@hardhat-identity/chain/connect";
import { consumerReader } from "@hardhat-identity/chain/consumer";
import type { Recovery } from "@hardhat-identity/chain/signature";
import type { Hashes } from "@hardhat-identity/protocol/hashes";
import { parseHex } from "@hardhat-identity/protocol/hex";
import { deriveKey } from "@hardhat-identity/protocol/keys";
import { protocolHashes } from "@hardhat-identity/protocol/protocolHashes";
import type { VerificationRequest } from "@hardhat-identity/protocol/verification";
import type { Providers } from "../../providers/registration.ts";
import type { SignerConfig } from "../config/config.ts";
import type { CredentialStore } from "../credentials/credential.ts";
import { watchStore } from "../database/storeCalls.ts";
import { followKey } from "../keys/signingKeys.ts";
import { fairQueue, type QueueLimits } from "../limits/fairQueue.ts";
import { createLimiter } from "../limits/limiter.ts";
import { limitWallets } from "../limits/walletLimit.ts";
import type { Logger } from "../monitoring/log.ts";
import type { Metrics } from "../monitoring/metrics.ts";
import { type Issuer, issueVerification } from "./issueVerification.ts";
import { createPolicyPins } from "./policyPins.ts";
import { watchReadiness } from "./readiness.ts";
import type { Secrets } from "./secrets.ts";

/** The parts that the endpoints share. */
export type Service = ReturnType<typeof createService>;

/** Chosen so that a message may take five times as long as a usual one, and the node four seconds. */
const requestLimits: QueueLimits = {
  room: 64,
  share: 32,
  line: 512,
  lineShare: 256,
  waitMs: 2_000,
  scarce: "loop",
};

/** In gas; a node takes a second for some hundred million. A client can have one hostile contract read at a time. */
const gasLimits: QueueLimits = {
  room: 40_000_000,
  share: 3_000_000,
  line: 512,
  lineShare: 64,
  waitMs: 2_000,
  scarce: "job",
};

/**
 * Creates the service from its parts, none of which depends on it.
 *
 * @param input.isLocal Whether the node says that it is a local one, asked again at intervals; see watchLocality.
 * @param input.publicUrl The URL at which clients reach the service, without a slash at the end. Neither URL depends on the
 * `Host` header.
 * @param input.verifyBundle Folder of the verify page's bundle; without it, the page is not served.
 */
export function createService(input: {
  config: SignerConfig;
  providers: Providers;
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
  verifyBundle: string | undefined;
}) {
  const { config, logger, metrics, chain, hashes, secrets, isLocal } = input;
  const { providers, recovery, publicUrl, verifyUrl, verifyBundle } = input;
  const { store, check: checkStore } = watchStore(input.store, {
    writes: ["enter", "set", "delete", "pin", "raiseCutoff", "spendNonce"],
    enterAnything: ({ enter }) => enter({ event: "signer-used", chainId, signer: signingKeys.signer() }),
    measure: (operation) => {
      const durations = {
        done: metrics.storeCalls.labels({ operation, outcome: "done" }),
        failed: metrics.storeCalls.labels({ operation, outcome: "failed" }),
      };
      return (outcome, seconds) => durations[outcome].observe(seconds);
    },
  });
  const { registry, chainId } = config;
  const { signingKey, nextSigningKey, development } = secrets;
  const signingKeys = followKey({ registry, signingKey, nextSigningKey, tell: tellSigner });

  function tellSigner(signer: string, detail?: string): void {
    for (const { address } of [signingKey, nextSigningKey].filter((key) => key !== undefined)) {
      metrics.signers.set({ signer: address }, address === signer ? 1 : 0);
    }
    if (detail !== undefined) logger.info({ signer }, detail);
  }
  const masterSecret = parseHex(secrets.masterSecret);
  const identityKey = deriveKey(masterSecret, "identity");
  const { policyHasher, verificationComposer, identityHash, pseudonym } = protocolHashes(hashes);
  const hashPolicy = policyHasher(chainId);
  function queue(name: string, limits: QueueLimits) {
    const refusals = metrics.overloads.labels({ queue: name });
    refusals.inc(0);
    return fairQueue(limits, () => {
      refusals.inc();
      // Requests that wait for the node keep their places.
      return chain.isSlow?.()
        ? new ChainUnavailableError("The node is slow, or does not answer.")
        : undefined;
    });
  }
  const queues = { requests: queue("requests", requestLimits), gas: queue("gas", gasLimits) };
  /** Creates a limiter of requests a minute, whose refusals are counted under its name. */
  function makeLimiter(name: string, limit: number) {
    const refusals = metrics.limitedRequests.labels({ limit: name });
    refusals.inc(0);
    return createLimiter(limit, () => refusals.inc());
  }
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
  let noted: string | undefined;
  /** Enters the signer, unless it is the last one that this process has entered. */
  async function noteSigner(signer: string): Promise<void> {
    if (signer === noted) return;
    await store.enter({ event: "signer-used", chainId, signer });
    noted = signer;
  }
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
    spendGas: (client) => (gas, ask) => queues.gas.runJob(client, gas, ask),
    readConsumer: consumerReader({
      chain,
      allowlist: signingKeys.allowlist,
      isLocal: async () => development,
      keeps: async () => !development && !(await isLocal()),
    }),
    limitWallet: limitWallets(config.walletRateLimit, makeLimiter),
    requirePinned: createPolicyPins({ store, chainId, hashPolicy, development }),
    compose: verificationComposer({ chainId, registry, identityKey }),
  };
  return {
    ...issuer,
    store,
    logger,
    signingKeys,
    makeLimiter,
    metrics,
    providers,
    publicUrl,
    verifyBundle,
    /** The hash of an identity that no provider has, at no consumer: tells whether two services have one master secret. */
    testIdentity: identityHash({
      identityKey,
      chainId,
      consumer: `0x${"0".repeat(40)}`,
      pseudonym: pseudonym({ accountKey: deriveKey(masterSecret, "account"), provider: "", accountId: "" }),
    }),
    /** Seals the verify page's cookies. */
    sessionKey: deriveKey(masterSecret, "session"),
    /** The queue of requests for verifications, each of size 1. */
    requests: queues.requests,
    async renderMetrics(): Promise<string> {
      for (const [name, { waiting }] of Object.entries(queues))
        metrics.waiting.set({ queue: name }, waiting());
      // The scrapes' own calls of the store are not measured.
      return metrics.render(await readiness.check(), input.store);
    },
    /** Enters the signer in the audit trail, at the start. */
    noteSigner: () => noteSigner(signingKey.address),
    issue: (asked: Parameters<typeof issueVerification>[1], request: VerificationRequest) =>
      issueVerification(issuer, asked, request),
  };
}
