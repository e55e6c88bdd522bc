import type { Server } from "node:http";
import { connectChain } from "@hardhat-identity/chain/connect";
import { watchLocality } from "@hardhat-identity/chain/localNode";
import type { ConnectorCorrections } from "../providers/connector.ts";
import { release } from "../release.ts";
import { createApp, createMetricsApp } from "./app.ts";
import { addresses, formatHost } from "./config/addresses.ts";
import type { SignerConfig } from "./config/config.ts";
import { openCredentialStore } from "./credentials/store.ts";
import { openCurve } from "./curve/curve.ts";
import { openHashes } from "./curve/hashes.ts";
import { requirePackage } from "./files/optionalPackage.ts";
import { createHttpServer, drain, holdRequests, serve } from "./http/server.ts";
import { kindOfKey } from "./keys/keyLocation.ts";
import type { KeySource } from "./keys/keySource.ts";
import { boundConnections } from "./limits/boundConnections.ts";
import { createLogger, type Logger } from "./monitoring/log.ts";
import { createMetrics } from "./monitoring/metrics.ts";
import { listen } from "./network/listen.ts";
import { openProviders } from "./providers/openProviders.ts";
import type { RunningService } from "./runningService.ts";
import { requireRightClock } from "./service/clock.ts";
import { refusePlainHttp } from "./service/plainHttp.ts";
import { resolveSecrets } from "./service/secrets.ts";
import { createService } from "./service/service.ts";

/**
 * Milliseconds for which a service that was asked to stop reports it and goes on. Proxies ask every second or two, and act
 * on the second or third answer.
 */
const noticeMs = 5_000;

/**
 * Starts the signer service.
 *
 * @param options.logger Defaults to JSON lines on standard output at the configured level, which need the package `pino`.
 * @param options.keySource The signing key, such as one in a cloud's KMS, instead of IDENTITY_SIGNING_KEY.
 * @param options.verifyBundle Folder of the verify page's bundle; without it, the page is not served.
 * @param options.connectors Corrects what the service knows of providers; counts before the module that the configuration
 * names.
 * @throws InvalidInputError when it cannot run as configured: the port is in use, the store or a signing key is
 * unusable, a connector is not valid, development secrets are used on a chain that is not a local node, or plain http is
 * used without local privileges.
 *
 * @example
 * ```ts
 * const { url, retire } = await startSigner(loadConfig(process.env));
 * console.log(`Listening on ${url}`);
 * process.once("SIGTERM", retire);
 * ```
 */
export async function startSigner(
  config: SignerConfig,
  options: {
    logger?: Logger;
    verifyBundle?: string;
    keySource?: KeySource;
    connectors?: ConnectorCorrections;
  } = {},
): Promise<RunningService> {
  const { logger = createLogger(config.logLevel), verifyBundle, keySource } = options;
  const providers = await openProviders(config, options.connectors);
  const metrics = createMetrics();
  if (config.metricsPort !== undefined)
    requirePackage("prom-client", "A port for metrics (IDENTITY_METRICS_PORT)");
  if (verifyBundle !== undefined) requirePackage("jose", "The verify page");
  const chain = connectChain({
    url: config.rpcUrl,
    chainId: config.chainId,
    onRoundTrip: (outcome, seconds) => metrics.roundTrips.observe({ outcome }, seconds),
  });
  const hashes = await openHashes();
  const curve = openCurve(hashes);
  const secrets = await resolveSecrets(config, chain, curve, keySource);
  const isLocal = watchLocality(chain);
  if (!secrets.development) refusePlainHttp(config);
  const server = createHttpServer();
  if (config.rateLimit > 0) {
    const refusals = metrics.limitedRequests.labels({ limit: "connections" });
    refusals.inc(0);
    boundConnections(server, config.rateLimit, config.trustProxy, () => refusals.inc());
  }
  const metricsServer = config.metricsPort === undefined ? undefined : createHttpServer();
  const servers = metricsServer === undefined ? [server] : [server, metricsServer];
  const closeAtOnce = (error: unknown) => {
    for (const each of servers) each.close().closeAllConnections();
    throw error;
  };
  // Listens before it opens the store, so that a start that cannot listen leaves no store behind.
  const { port, metricsPort } = await listenAll(config, server, metricsServer).catch(closeAtOnce);
  const held = servers.map(holdRequests);
  const { publicUrl, verifyUrl } = addresses(config, port);
  const { masterSecret } = secrets;
  const audit = {
    logger,
    onProblem: () => metrics.auditProblems.inc(),
    ...(config.auditRetention > 0 && { retention: config.auditRetention }),
  };
  const confirmClock = requireRightClock(chain, isLocal);
  const store = await openCredentialStore({ ...config, masterSecret, audit, confirmClock }).catch(
    closeAtOnce,
  );
  const service = createService({
    config,
    providers,
    logger,
    metrics,
    chain,
    hashes,
    recovery: curve,
    secrets,
    store,
    publicUrl,
    verifyUrl,
    isLocal,
    verifyBundle,
  });
  await service.noteSigner().catch(async (error) => {
    await store.close();
    closeAtOnce(error);
  });
  let isAskedToEnd = false;
  const isEnding = () => isAskedToEnd;
  const { trustProxy } = config;
  serve(server, createApp(service, isEnding), { logger, trustProxy });
  if (metricsServer) serve(metricsServer, createMetricsApp(service, isEnding), { logger, trustProxy });
  for (const each of held) each.release();
  await service.readiness.check();

  let closed: Promise<void> | undefined;
  function close(): Promise<void> {
    closed ??= end();
    return closed;
  }
  async function end(): Promise<void> {
    // A log without these lines is from a process that was killed.
    logger.info("ending: asked to stop, and finishing the requests under way");
    for (const each of servers) await drain(each);
    await store.close();
    logger.info("ended");
  }

  const metricsUrl = metricsServer && `http://${formatHost(config.metricsHost)}:${metricsPort}`;
  const signer = service.signingKeys.signer();
  const { chainId, registry } = config;
  const shown = {
    version: release,
    url: publicUrl,
    address: `${formatHost(config.host)}:${port}`,
    metricsUrl,
    signer,
    key: keySource ? "own" : kindOfKey(config.signingKey),
    chainId,
    registry,
    curve: curve.name,
  };
  logger.info(shown, "listening");
  return {
    url: publicUrl,
    verifyUrl,
    port,
    metricsUrl,
    signer,
    unref() {
      for (const each of servers) each.on("connection", (socket) => socket.unref()).unref();
    },
    close,
    async retire() {
      isAskedToEnd = true;
      logger.info("ending soon: asked to stop, says so at /readyz, and still answers requests");
      await new Promise((resolve) => setTimeout(resolve, noticeMs));
      await close();
    },
  };
}

async function listenAll(config: SignerConfig, server: Server, metricsServer: Server | undefined) {
  const port = await listen(server, config);
  if (metricsServer === undefined) return { port, metricsPort: undefined };
  const place = { host: config.metricsHost, port: config.metricsPort ?? 0 };
  return { port, metricsPort: await listen(metricsServer, place, "IDENTITY_METRICS") };
}
