import { Router } from "express";
import { type Service, verifyRoute } from "../service/service.ts";
import { callback } from "./callback.ts";
import { discard } from "./discard.ts";
import { erase } from "./erase.ts";
import { securityHeaders } from "./guards.ts";
import { keep } from "./keep.ts";
import { link } from "./link.ts";
import { message } from "./message.ts";
import { overview } from "./overview.ts";
import { page } from "./page.ts";
import { pageRequestReader } from "./pageRequest.ts";
import { prove } from "./prove.ts";
import { createCookies } from "./session.ts";
import { signOut } from "./signOut.ts";

/**
 * Whether this service serves the page where users prove accounts: the page's URL ends with the service's route for it.
 * A proxy may put a host and a path before the route.
 */
export function hasOwnPage(verifyUrl: string): boolean {
  const { pathname, search } = new URL(verifyUrl);
  return pathname.endsWith(verifyRoute) && search === "";
}

/** Sets the headers of all responses under the verify page's path. */
export function verifyHeaders(parts: Pick<Service, "config" | "verifyUrl" | "startsLocal">): Router {
  const { config, verifyUrl, startsLocal } = parts;
  const router = Router({ caseSensitive: true });
  const connect = startsLocal ? [new URL(config.rpcUrl).origin] : [];
  router.use(verifyRoute, securityHeaders({ https: verifyUrl.startsWith("https:"), connect }));
  return router;
}

/** The endpoints of the verify page, where a person proves an account, in the order of a visit. */
export function verify(service: Service): Router {
  const { config, verifyUrl, verifyBundle: bundle, startsLocal, sessionKey, store, chain } = service;
  const { chainId, registry, brand, privacyUrl, redirectOrigins, otherRedirects } = config;
  const { providers, logger, makeLimiter, metrics, readiness, recovery, spendGas } = service;
  const localUrl = startsLocal ? config.rpcUrl : undefined;
  const localNode = startsLocal ? chain : undefined;
  const rules = { apps: redirectOrigins, others: otherRedirects, loopback: startsLocal };
  const demandPageRequest = pageRequestReader(rules, providers.clients);
  const cookies = createCookies({ sessionKey, verifyUrl, chainId, registry, store });
  const visit = { cookies, verifyUrl };

  const router = Router({ caseSensitive: true });
  router.use(page({ verifyUrl, bundle, brand, demandPageRequest }));
  router.use(overview({ ...visit, chainId, privacyUrl, providers, localUrl, store, demandPageRequest }));
  router.use(message({ ...visit, chainId }));
  router.use(link({ ...visit, chainId, chain, recovery, spendGas, store }));
  router.use(prove({ ...visit, readiness, providers, demandPageRequest }));
  router.use(
    callback({ ...visit, config, logger, makeLimiter, metrics, readiness, providers, localNode, store }),
  );
  router.use(keep({ ...visit, readiness, store }));
  router.use(discard(visit));
  router.use(erase({ ...visit, store }));
  router.use(signOut(visit));
  return router;
}
