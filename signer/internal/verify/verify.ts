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
import { prove } from "./prove.ts";
import { signOut } from "./signOut.ts";

/**
 * Whether the page where users prove accounts is this service's: its address ends in the route that the service has it
 * at. A proxy may have put a host and a path before it.
 */
export function hasOwnPage({ verifyUrl }: Service): boolean {
  const { pathname, search } = new URL(verifyUrl);
  return pathname.endsWith(verifyRoute) && search === "";
}

/** What every answer carries where the verify page is. */
export function verifyHeaders({ config, verifyUrl, startsLocal }: Service): Router {
  const router = Router({ caseSensitive: true });
  const connect = startsLocal ? [new URL(config.rpcUrl).origin] : [];
  router.use(verifyRoute, securityHeaders({ https: verifyUrl.startsWith("https:"), connect }));
  return router;
}

/** The verify page: where a person proves an account, in the order in which it is walked through. */
export function verify(service: Service): Router {
  const router = Router({ caseSensitive: true });
  router.use(page(service));
  router.use(overview(service));
  router.use(message(service));
  router.use(link(service));
  router.use(prove(service));
  router.use(callback(service));
  router.use(keep(service));
  router.use(discard(service));
  router.use(erase(service));
  router.use(signOut(service));
  return router;
}
