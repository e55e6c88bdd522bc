import { Router } from "express";
import { type Service, verifyRoute } from "../service/service.ts";
import { discard, erase, keep } from "./account.ts";
import { callback } from "./callback.ts";
import { securityHeaders } from "./guards.ts";
import { link, message, signOut } from "./link.ts";
import { overview } from "./overview.ts";
import { page } from "./page.ts";
import { pageRequestReader } from "./pageRequest.ts";
import { prove } from "./prove.ts";
import { createCookies } from "./session.ts";

/**
 * Whether this service serves the page where users prove accounts: the page's URL ends with the service's route for it.
 * A proxy may put a host and a path before the route.
 */
export function hasOwnPage(verifyUrl: string): boolean {
  const { pathname, search } = new URL(verifyUrl);
  return pathname.endsWith(verifyRoute) && search === "";
}

/** Sets the headers of all responses under the verify page's path. */
export function verifyHeaders(parts: Pick<Service, "config" | "verifyUrl" | "development">): Router {
  const { config, verifyUrl, development } = parts;
  const router = Router({ caseSensitive: true });
  const connect = development ? [new URL(config.rpcUrl).origin] : [];
  router.use(verifyRoute, securityHeaders({ https: verifyUrl.startsWith("https:"), connect }));
  return router;
}

/** The endpoints of the verify page, where a person proves an account, in the order of a visit. */
export function verify(service: Service): Router {
  const { config, verifyUrl, verifyBundle: bundle, development, sessionKey, store, chain } = service;
  const { chainId, registry, brand, privacyUrl, redirectOrigins, otherRedirects } = config;
  const { providers, logger, makeLimiter, metrics, readiness, recovery, spendGas } = service;
  const localUrl = development ? config.rpcUrl : undefined;
  const localNode = development ? chain : undefined;
  const rules = { apps: redirectOrigins, others: otherRedirects, loopback: development };
  const requirePageRequest = pageRequestReader(rules, providers.clients);
  const cookies = createCookies({ sessionKey, verifyUrl, chainId, registry, store });
  const visit = { cookies, verifyUrl };

  const router = Router({ caseSensitive: true });
  router.use(page({ bundle, brand, requirePageRequest }));
  router.use(overview({ ...visit, chainId, privacyUrl, providers, localUrl, store, requirePageRequest }));
  router.use(message({ ...visit, chainId }));
  router.use(link({ ...visit, chainId, chain, recovery, spendGas, store }));
  router.use(prove({ ...visit, readiness, providers, requirePageRequest }));
  router.use(
    callback({ ...visit, config, logger, makeLimiter, metrics, readiness, providers, localNode, store }),
  );
  router.use(keep({ ...visit, readiness, store }));
  router.use(discard(visit));
  router.use(erase({ ...visit, store }));
  router.use(signOut(visit));
  return router;
}
