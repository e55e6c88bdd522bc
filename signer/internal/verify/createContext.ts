import type { ProviderName } from "../../../protocol/catalogue.ts";
import { deriveKey } from "../../../protocol/keys.ts";
import type { Service } from "../service.ts";
import type { VerifyContext } from "./context.ts";
import { createCookies } from "./session.ts";

/** Seconds for one request to a provider. */
const providerTimeout = 10;

/**
 * Makes what the verify page works with.
 *
 * @param options.masterSecret 32 bytes.
 * @param options.startsLocal Whether the chain is a local node.
 * @param options.verifyBundle Folder of the page's bundle.
 * @returns `undefined` when the configured page is not this service's.
 */
export function createVerifyContext(
  service: Omit<Service, "verify">,
  options: { masterSecret: Uint8Array; startsLocal: boolean; verifyBundle: string | undefined },
): VerifyContext | undefined {
  const { config, chain, store, logger, metrics, verifyUrl: pageUrl } = service;
  const { masterSecret, startsLocal, verifyBundle } = options;
  if (!/\/verify$/.test(pageUrl)) return undefined;
  return {
    pageUrl,
    chainId: config.chainId,
    chain,
    store,
    logger,
    rateLimit: config.rateLimit,
    cookies: createCookies(deriveKey(masterSecret, "session"), pageUrl.startsWith("https:")),
    clients: config.providers,
    offered: Object.keys(config.providers) as ProviderName[],
    redirectRules: {
      origins: config.redirectOrigins,
      others: config.otherRedirects,
      loopback: startsLocal,
    },
    providerTimeout,
    accountKey: deriveKey(masterSecret, "account"),
    signIns: metrics.signIns,
    developmentRpcUrl: startsLocal ? config.rpcUrl : undefined,
    bundle: verifyBundle,
  };
}
