import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connectChain } from "../../chain/connect.ts";
import { watchLocality } from "../../chain/localNode.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import type { SignerConfig } from "./config.ts";
import { openCredentialStore } from "./credentials/store.ts";
import { openCurve } from "./curve/curve.ts";
import { openHashes } from "./curve/hashes.ts";
import { createApp } from "./http/app.ts";
import { createHttpServer, drain, holdRequests, serve } from "./http/server.ts";
import { watchLocalPrivileges } from "./localPrivileges.ts";
import { createLogger, type Logger } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { refusePlainHttp } from "./providers/plainHttp.ts";
import { refusePlainHttpUrls } from "./publicUrls.ts";
import { resolveSecrets } from "./secrets.ts";
import { createService, verifyRoute } from "./service.ts";

/** A service that accepts requests. */
export interface RunningService {
  /** Where clients reach it, without a slash at the end. */
  readonly url: string;
  /** The page where a user proves an account. */
  readonly verifyUrl: string;
  readonly port: number;
  /** The signer's address, which the registry's allowlist must hold. */
  readonly signer: string;
  /** Lets the process end while the service runs. */
  unref(): void;
  /** Takes no new request, lets those under way end, and closes the store. */
  close(): Promise<void>;
}

/**
 * Starts the signer service.
 *
 * @param options.logger Defaults to JSON lines on standard output at the configured level.
 * @param options.verifyBundle Folder of the verify page's bundle; without it, the page is not served.
 * @throws InvalidInputError when it cannot run as configured: port in use, store or keystore unusable, development
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
  const logger = options.logger ?? createLogger(config.logLevel);
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
  // Before the store is opened: a start that cannot listen leaves none behind.
  const port = await listen(server, config);
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
    verifyBundle: options.verifyBundle,
  });
  serve(server, createApp(service), logger);
  early.release();
  const { name, noNative } = curve;
  const { registry } = config;
  const signer = secrets.signingKey.address;
  logger.info({ url: publicUrl, signer, registry, curve: name, noNativeCurve: noNative }, "listening");
  await service.readiness.check();
  return {
    url: publicUrl,
    verifyUrl,
    port,
    signer,
    unref() {
      server.on("connection", (socket) => socket.unref());
      server.unref();
    },
    async close() {
      await drain(server);
      await store.close();
    },
  };
}

function listen(server: Server, { host, port }: SignerConfig): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new InvalidInputError(describeListenError(error, host, port), { cause: error }));
    });
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port));
  });
}

function describeListenError({ code }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === "EADDRINUSE") {
    return `Port ${port} on ${host} is in use; choose another one (IDENTITY_PORT).`;
  }
  return `The signer cannot listen on ${host} port ${port} (${code}); see IDENTITY_HOST and IDENTITY_PORT.`;
}

/** Where browsers reach the service and its page. */
function addresses(config: SignerConfig, port: number): { publicUrl: string; verifyUrl: string } {
  const publicUrl = config.publicUrl ?? `http://${formatHost(config.host)}:${port}`;
  return { publicUrl, verifyUrl: config.verifyUrl ?? `${publicUrl}${verifyRoute}` };
}

const formatHost = (host: string) => (host.includes(":") ? `[${host}]` : host);
