import type { Server } from "node:http";
import { requirePackage } from "@hardhat-identity/store/files/optionalPackage";
import { release } from "../release.ts";
import { formatHost } from "./config/addresses.ts";
import type { SignerConfig } from "./config/config.ts";
import { createHttpServer, drain, holdRequests, serve } from "./http/server.ts";
import { kindOfKey } from "./keys/keyLocation.ts";
import { boundConnections } from "./limits/boundConnections.ts";
import { listen } from "./network/listen.ts";
import { prepareSigner, type SignerOptions } from "./openSigner.ts";
import type { RunningService } from "./runningService.ts";

/**
 * Milliseconds for which a service that was asked to stop reports it and goes on. Proxies ask every second or two, and act
 * on the second or third answer.
 */
const noticeMs = 5_000;

/**
 * Starts the signer service.
 *
 * @throws InvalidInputError when it cannot run as configured: the port is in use, the store or a signing key is
 * unusable, development secrets are used on a chain that is not a local node, or plain http is
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
  options: SignerOptions = {},
): Promise<RunningService> {
  if (config.metricsPort !== undefined)
    requirePackage("prom-client", import.meta.url, "A port for metrics (IDENTITY_METRICS_PORT)");
  const { logger, metrics, curve, open } = await prepareSigner(config, options);
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
  const opened = await open(port).catch(closeAtOnce);
  const { service, handler, createMetricsHandler } = opened;
  const { trustProxy, chainId, registry } = config;
  serve(server, handler, { logger, trustProxy });
  if (metricsServer) serve(metricsServer, createMetricsHandler(), { logger, trustProxy });
  for (const each of held) each.release();
  await service.readiness.check().catch(async (error: unknown) => {
    await opened.close();
    closeAtOnce(error);
  });

  let closed: Promise<void> | undefined;
  function close(): Promise<void> {
    closed ??= end();
    return closed;
  }
  async function end(): Promise<void> {
    // A log without these lines is from a process that was killed.
    logger.info("ending: asked to stop, and finishing the requests under way");
    await Promise.all(servers.map(drain));
    await opened.close();
    logger.info("ended");
  }

  const { publicUrl, verifyUrl } = service.api;
  const metricsUrl = metricsServer && `http://${formatHost(config.metricsHost)}:${metricsPort}`;
  const signer = service.signingKeys.signer();
  const shown = {
    version: release,
    url: publicUrl,
    address: `${formatHost(config.host)}:${port}`,
    metricsUrl,
    signer,
    key: options.keySource ? "own" : kindOfKey(config.signingKey),
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
      opened.announceEnd();
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
