import { Router } from "express";
import { verifyRoute } from "../../pages/verifyRoute.ts";
import type { Service } from "../service/service.ts";
import { discard, erase, keep } from "./account.ts";
import { callback } from "./callback.ts";
import { link, message, signOut } from "./link.ts";
import { overview } from "./overview.ts";
import { page } from "./page.ts";
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

/** The endpoints of the verify page, where a person proves an account, in the order of a visit. */
export function verify(service: Service): Router {
  const visits = { service, cookies: createCookies(service) };
  const router = Router({ caseSensitive: true });
  for (const endpoint of [page, overview, message, link, prove, callback, keep, discard, erase, signOut]) {
    router.use(endpoint(visits));
  }
  return router;
}
