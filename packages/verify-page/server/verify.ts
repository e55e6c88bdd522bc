import { verifyRoute } from "@hardhat-identity/signer/pages";
import { Router } from "express";
import { discard, type ErasingService, erase, type KeepingService, keep } from "./account.ts";
import { type CallbackService, callback } from "./callback.ts";
import { type LinkingService, link, message, signOut } from "./link.ts";
import { type OverviewService, overview } from "./overview.ts";
import { type PageService, page } from "./page.ts";
import { type ProvingService, prove } from "./prove.ts";
import { type CookieService, createCookies } from "./session.ts";

/**
 * Whether this service serves the page where users prove accounts: the page's URL ends with the service's route for it.
 * A proxy may put a host and a path before the route.
 */
export function hasOwnPage(verifyUrl: string): boolean {
  const { pathname, search } = new URL(verifyUrl);
  return pathname.endsWith(verifyRoute) && search === "";
}

type VerifyService = CookieService &
  PageService &
  OverviewService &
  LinkingService &
  ProvingService &
  CallbackService &
  KeepingService &
  ErasingService;

/** The endpoints of the verify page, where a person proves an account, in the order of a visit. */
export function verify(service: VerifyService): Router {
  const visits = { service, cookies: createCookies(service) };
  const router = Router({ caseSensitive: true });
  for (const endpoint of [page, overview, message, link, prove, callback, keep, discard, erase, signOut]) {
    router.use(endpoint(visits));
  }
  return router;
}
