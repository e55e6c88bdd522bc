import type { Server } from "node:http";
import { connectChain } from "../../chain/connect.ts";
import { watchLocality } from "../../chain/localNode.ts";
import { awaitStore } from "./awaitStore.ts";
import type { SignerConfig } from "./config.ts";
import { openCredentialStore } from "./credentials/store.ts";
import { openCurve } from "./curve/curve.ts";
import { openHashes } from "./curve/hashes.ts";
import { createApp, createMetricsApp } from "./http/app.ts";
import { createHttpServer, drain, holdRequests, serve } from "./http/server.ts";
import { createWaitingApp } from "./http/waitingApp.ts";
import { kindOfKey } from "./keys/config.ts";
import { listen, listenForMetrics } from "./listen.ts";
import { watchLocalPrivileges } from "./localPrivileges.ts";
import { createLogger, type Logger } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { refusePlainHttp } from "./providers/plainHttp.ts";
import { refusePlainHttpUrls } from "./publicUrls.ts";
import { release } from "./release.ts";
import type { RunningService } from "./runningService.ts";
import { resolveSecrets } from "./secrets.ts";
import { createService, type Service, verifyRoute } from "./service.ts";
import { currentTrace } from "./tracing.ts";
import { alone, type Peers } from "./workers/peers.ts";
import { startWorkers } from "./workers/startWorkers.ts";

/**
 * Starts the signer service: in this process, or in as many as are configured, which this one looks after.
 *
 * While the store's PostgreSQL is away it waits for it, and answers `store_unavailable`.
 *
 * @param options.logger Defaults to JSON lines on standard output at the configured level; other processes always log
 * that way.
 * @param options.verifyBundle Folder of the verify page's bundle; without it, the page is not served.
 * @throws InvalidInputError when it cannot run as configured: port in use, store or signing key unusable, development
 * secrets on a chain that is not a local node, plain http where there are no local privileges, native curve code wanted
 * where there is none.
 *
 * @example
 * ```ts
 * const { url, close } = await startSigner(loadConfig(process.env));
 * console.log(`Listening on ${url}`);
 * process.once("SIGTERM", close);
 * ```
 */
export async function startSigner(
  config: SignerConfig,
  options: { logger?: Logger; verifyBundle?: string } = {},
): Promise<RunningService> {
  const { logger = createLogger(config.logLevel), verifyBundle } = options;
  const isAlone = config.workers === 1;
  const running = isAlone
    ? (await startProcess({ config, verifyBundle }, logger, alone)).running
    : await startWorkers({ config, verifyBundle }, logger);
  const { url, metricsUrl, signer, curve, noNativeCurve } = running;
  const { chainId, registry, workers } = config;
  const key = kindOfKey(config.signingKey);
  const shown = { version: release, url, metricsUrl, signer, key, chainId, registry };
  logger.info({ ...shown, ...(isAlone ? {} : { workers }), curve, noNativeCurve }, "listening");
  return {
    ...running,
    async close() {
      // A log without these lines is of a process that was killed.
      logger.info("ending: it was asked to, and answers what is under way");
      await running.close();
      logger.info("ended");
    },
  };
}

/**
 * Starts one process of a service.
 *
 * @throws as {@link startSigner} does.
 */
export async function startProcess(
  { config, verifyBundle }: { config: SignerConfig; verifyBundle: string | undefined },
  logger: Logger,
  peers: Peers,
): Promise<{ running: RunningService; service: Service; server: Server }> {
  const metrics = createMetrics();
  const chain = connectChain({
    url: config.rpcUrl,
    chainId: config.chainId,
    headers: () => currentTrace()?.headers,
    onRoundTrip: (outcome, seconds) => metrics.roundTrips.observe({ outcome }, seconds),
  });
  const hashes = await openHashes();
  const curve = await openCurve(hashes, config.curve);
  const secrets = await resolveSecrets(config, chain, curve);
  const isLocal = watchLocality(chain);
  const localPrivileges = watchLocalPrivileges(secrets, isLocal);
  const startsLocal = await localPrivileges().catch(() => false);
  if (!startsLocal) {
    refusePlainHttp(config.providers);
    const { publicUrl, verifyUrl } = addresses(config, config.port);
    refusePlainHttpUrls({ IDENTITY_PUBLIC_URL: publicUrl, IDENTITY_VERIFY_URL: verifyUrl });
  }
  const server = createHttpServer();
  const metricsServer = config.metricsPort === undefined ? undefined : createHttpServer();
  const servers = metricsServer === undefined ? [server] : [server, metricsServer];
  const listenAll = async () => ({
    port: await listen(server, config),
    metricsPort: metricsServer && (await listenForMetrics(metricsServer, config)),
  });
  const closeAtOnce = (error: unknown) => {
    for (const each of servers) each.close().closeAllConnections();
    throw error;
  };
  // Before the store is opened: a start that cannot listen leaves none behind. A worker's port is known to be free, and
  // what comes to one that cannot open the store would be lost.
  const isWorker = peers.count > 1;
  const { port, metricsPort } = isWorker ? config : await listenAll().catch(closeAtOnce);
  const early = servers.map(holdRequests);
  const { publicUrl, verifyUrl } = addresses(config, port);
  const { masterSecret } = secrets;
  const audit = auditOptions(config, logger);
  const open = () => openCredentialStore({ ...config, masterSecret, audit });
  const store = await awaitStore(open, async (problem) => {
    logger.warn({ url: publicUrl, problem }, "The credential store is away; the service waits for it.");
    const waiting = createWaitingApp({ config, logger, metrics }, problem);
    for (const each of servers) each.on("request", waiting);
    for (const each of early) each.release();
    if (isWorker) await listenAll();
    return () => {
      for (const each of servers) each.off("request", waiting);
    };
  }).catch(closeAtOnce);
  const service = createService({
    config,
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
    localPrivileges,
    startsLocal,
    verifyBundle,
    peers,
  });
  await service.signatureAudit.noteSigner(secrets.signingKey.address).catch(async (error) => {
    await store.close();
    closeAtOnce(error);
  });
  serve(server, createApp(service), logger);
  if (metricsServer) serve(metricsServer, createMetricsApp(service), logger);
  for (const each of early) each.release();
  if (!server.listening) await listenAll();
  await service.readiness.check();
  const running: RunningService = {
    url: publicUrl,
    verifyUrl,
    port,
    metricsUrl: metricsServer && `http://${formatHost(config.metricsHost)}:${metricsPort}`,
    signer: service.signingKeys.signer(),
    curve: curve.name,
    noNativeCurve: curve.noNative,
    failed: new Promise(() => undefined),
    unref() {
      for (const each of servers) each.on("connection", (socket) => socket.unref()).unref();
    },
    async close() {
      for (const each of servers) await drain(each);
      await store.close();
    },
  };
  return { running, service, server };
}

/** Where browsers reach the service and its page. */
function addresses(config: SignerConfig, port: number): { publicUrl: string; verifyUrl: string } {
  const publicUrl = config.publicUrl ?? `http://${formatHost(config.host)}:${port}`;
  return { publicUrl, verifyUrl: config.verifyUrl ?? `${publicUrl}${verifyRoute}` };
}

const auditOptions = ({ audit, auditRetention }: SignerConfig, logger: Logger) =>
  audit === "off" ? audit : { logger, ...(auditRetention === 0 ? {} : { retention: auditRetention }) };

const formatHost = (host: string) => (host.includes(":") ? `[${host}]` : host);
