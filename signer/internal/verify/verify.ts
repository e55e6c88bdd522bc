import { Router } from "express";
import { rateLimit } from "../http/rateLimit.ts";
import { callback } from "./callback.ts";
import type { VerifyContext } from "./context.ts";
import { erase } from "./erase.ts";
import { securityHeaders } from "./guards.ts";
import { discard, keep } from "./keep.ts";
import { link, message, signOut } from "./link.ts";
import { overview } from "./overview.ts";
import { page } from "./page.ts";
import { prove } from "./prove.ts";

/** The verify page: where a person proves an account, in the order in which it is walked through. */
export function verify(context: VerifyContext): Router {
  const { pageUrl, developmentRpcUrl } = context;
  const router = Router({ caseSensitive: true });
  const connect = developmentRpcUrl === undefined ? [] : [new URL(developmentRpcUrl).origin];
  router.use("/verify", securityHeaders({ https: pageUrl.startsWith("https:"), connect }));
  router.use(page(context));
  router.use("/verify", rateLimit(context.rateLimit));
  router.use(overview(context));
  router.use(message(context));
  router.use(link(context));
  router.use(prove(context));
  router.use(callback(context));
  router.use(keep(context));
  router.use(discard(context));
  router.use(erase(context));
  router.use(signOut(context));
  return router;
}
