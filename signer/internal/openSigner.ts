import type { RequestListener } from "node:http";
import { connectChain } from "@hardhat-identity/protocol/chain/connect";
import { watchLocality } from "@hardhat-identity/protocol/chain/localNode";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { openCredentialStore } from "@hardhat-identity/store/credentials/store";
import type { Logger } from "@hardhat-identity/store/logger";
import { createApp, createMetricsApp, type Pages } from "./app.ts";
import { addresses } from "./config/addresses.ts";
import type { SignerConfig } from "./config/config.ts";
import { openHashes } from "./curve/hashes.ts";
import { openCurve } from "./curve/openCurve.ts";
import type { KeySource } from "./keys/keySource.ts";
import { createLogger } from "./monitoring/log.ts";
import { createMetrics } from "./monitoring/metrics.ts";
import { requireRightClock } from "./service/clock.ts";
import { refusePlainHttp } from "./service/plainHttp.ts";
import { resolveSecrets } from "./service/secrets.ts";
import { createService, type PagesService } from "./service/service.ts";

/** The parts of a service that its settings do not name. */
export interface SignerOptions {
  /** Defaults to JSON lines on standard output at the configured level, which need the package `pino`. */
  readonly logger?: Logger;
  /**
   * Pages for people, such as `await verifyPage(loadPageConfig(process.env))` of `@hardhat-identity/verify-page`. Without
   * them, the service has its API alone.
   */
  readonly pages?: (service: PagesService) => Pages;
  /** The signing key, such as one in a cloud's KMS, instead of IDENTITY_SIGNING_KEY. */
  readonly keySource?: KeySource;
}

/** A service without a server of its own. */
export interface OpenSigner {
  /** Answers requests. An Express app mounts it before anything that reads bodies. */
  readonly handler: RequestListener;
  /** The page where a user verifies an account. */
  readonly verifyUrl: string;
  /** The signer's address, which must be on the registry's allowlist; of two signers, the active one at the start. */
  readonly signer: string;
  /** Closes the store, once no more requests arrive. */
  close(): Promise<void>;
}

/**
 * Opens the signer service for an Express app of your own, which mounts it at the path of IDENTITY_PUBLIC_URL. The app's
 * server then has to limit slow clients and the number of connections, as {@link startSigner} does for its own.
 *
 * @throws InvalidInputError as {@link startSigner} does, when IDENTITY_PUBLIC_URL is not set, and when
 * IDENTITY_METRICS_PORT is.
 *
 * @example
 * ```ts
 * const signer = await openSigner(loadConfig(process.env));
 * express().use("/identity", signer.handler).listen(3000);
 * ```
 */
export async function openSigner(config: SignerConfig, options: SignerOptions = {}): Promise<OpenSigner> {
  if (config.publicUrl === undefined) {
    throw new InvalidInputError(
      "IDENTITY_PUBLIC_URL is not set; an app that mounts the service must say where clients reach it.",
    );
  }
  if (config.metricsPort !== undefined) {
    throw new InvalidInputError(
      "IDENTITY_METRICS_PORT is set, but only a server of the service's own has that port; remove it: the app that mounts the service has its metrics at /metrics.",
    );
  }
  const { service, handler, close } = await (await prepareSigner(config, options)).open(config.port);
  await service.readiness.check().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { handler, verifyUrl: service.api.verifyUrl, signer: service.signingKeys.signer(), close };
}

/** Makes the parts of a service that change nothing yet. The rest is opened once its port is known. */
export async function prepareSigner(config: SignerConfig, options: SignerOptions) {
  const { logger = createLogger(config.logLevel), pages, keySource } = options;
  const metrics = createMetrics();
  const chain = connectChain({
    url: config.rpcUrl,
    chainId: config.chainId,
    onRoundTrip: (outcome, seconds) => metrics.roundTrips.observe({ outcome }, seconds),
  });
  const hashes = await openHashes();
  const curve = await openCurve(hashes);
  const secrets = await resolveSecrets(config, chain, curve, keySource);
  if (!secrets.development) refusePlainHttp(config);
  const isLocal = watchLocality(chain);
  const audit = {
    logger,
    onProblem: () => metrics.auditProblems.inc(),
    ...(config.auditRetention > 0 && { retention: config.auditRetention }),
  };

  async function open(port: number) {
    const { masterSecret } = secrets;
    const confirmClock = requireRightClock(chain, isLocal);
    const store = await openCredentialStore({ ...config, masterSecret, audit, confirmClock });
    try {
      const parts = { config, logger, metrics, chain, hashes, recovery: curve, secrets, store, isLocal };
      const service = createService({ ...parts, ...addresses(config, port) });
      const served = pages?.(service.pages);
      await service.noteSigner();
      let isAskedToEnd = false;
      const isEnding = () => isAskedToEnd;
      return {
        service,
        handler: createApp(service, served, isEnding),
        createMetricsHandler: () => createMetricsApp(service, isEnding),
        /** From now on, `/readyz` says that the service ends. */
        announceEnd() {
          isAskedToEnd = true;
        },
        close: () => store.close(),
      };
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  return { logger, metrics, curve, open };
}
