import type { Server } from "node:http";
import { connectChain } from "../../chain/connect.ts";
import { watchLocality } from "../../chain/localNode.ts";
import type { SignerConfig } from "./config.ts";
import { openCredentialStore } from "./credentials/store.ts";
import { openCurve } from "./curve/curve.ts";
import { openHashes } from "./curve/hashes.ts";
import { createApp } from "./http/app.ts";
import { createHttpServer, drain, holdRequests, serve } from "./http/server.ts";
import { kindOfKey } from "./keys/config.ts";
import { listen } from "./listen.ts";
import { watchLocalPrivileges } from "./localPrivileges.ts";
import { createLogger, type Logger } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { refusePlainHttp } from "./providers/plainHttp.ts";
import { refusePlainHttpUrls } from "./publicUrls.ts";
import type { RunningService } from "./runningService.ts";
import { resolveSecrets } from "./secrets.ts";
import { createService, type Service, verifyRoute } from "./service.ts";
import { alone, type Peers } from "./workers/peers.ts";
import { startWorkers } from "./workers/startWorkers.ts";

/**
 * Starts the signer service: in this process, or in as many as are configured, which this one looks after.
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
  if (config.workers > 1) return startWorkers({ config, verifyBundle }, logger);
  const { running } = await startProcess({ config, verifyBundle }, logger, alone);
  const { url, signer, curve, noNativeCurve } = running;
  const key = kindOfKey(config.signingKey);
  logger.info({ url, signer, key, registry: config.registry, curve, noNativeCurve }, "listening");
  return running;
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
  // Before the store is opened: a start that cannot listen leaves none behind. A worker's port is known to be free, and
  // what comes to one that cannot open the store would be lost.
  const isWorker = peers.count > 1;
  const port = isWorker ? config.port : await listen(server, config);
  const early = holdRequests(server);
  const store = await openCredentialStore({
    databaseUrl: config.databaseUrl,
    masterSecret: secrets.masterSecret,
    chainId: config.chainId,
  }).catch((error) => {
    server.close();
    server.closeAllConnections();
    throw error;
  });
  const { publicUrl, verifyUrl } = addresses(config, port);
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
  serve(server, createApp(service), logger);
  early.release();
  if (isWorker) await listen(server, config);
  await service.readiness.check();
  const running: RunningService = {
    url: publicUrl,
    verifyUrl,
    port,
    signer: secrets.signingKey.address,
    curve: curve.name,
    noNativeCurve: curve.noNative,
    failed: new Promise(() => undefined),
    unref() {
      server.on("connection", (socket) => socket.unref());
      server.unref();
    },
    async close() {
      await drain(server);
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

const formatHost = (host: string) => (host.includes(":") ? `[${host}]` : host);
