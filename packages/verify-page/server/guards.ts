import {
  endpoint,
  noted,
  parseJson,
  receiveJson,
  ServiceError,
  verifyRoute,
} from "@hardhat-identity/signer/pages";
import { type Request, type RequestHandler, type Response, Router } from "express";
import type { z } from "zod";
import type { BuiltPage } from "../html/builtPage.ts";

/** The restrictions of everything under the verify page's path. */
const confined = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];

/** The node that the page asks, during development only. */
export interface NodeOfPage {
  readonly config: { readonly rpcUrl: string };
  readonly development: boolean;
}

/** The Content-Security-Policy of the page itself. */
export function pagePolicy({ config, development }: NodeOfPage, { scripts, styles }: BuiltPage): string {
  const connect = development ? ` ${new URL(config.rpcUrl).origin}` : "";
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    // The operator's accent colour has a file of its own.
    `style-src 'self' ${styles}`,
    "font-src 'self'",
    // Wallets announce their icons as data URLs (EIP-6963).
    "img-src 'self' data:",
    `connect-src 'self'${connect}`,
    ...confined,
  ].join("; ");
}

/** Sets the headers of all responses under the verify page's path; see the threat list in SECURITY.md. */
export function verifyHeaders({ verifyUrl }: { readonly verifyUrl: string }): RequestHandler {
  const headers = {
    "Content-Security-Policy": ["default-src 'none'", ...confined].join("; "),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    // The page's URL contains the app's return address and `state`.
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
    ...(verifyUrl.startsWith("https:") ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
  };
  const router = Router({ caseSensitive: true });
  router.use(verifyRoute, (_request, response, next) => {
    response.set(headers);
    next();
  });
  return router;
}

/** Creates an endpoint to which only the page's own scripts can post, in JSON: browsers set `Origin`, and scripts cannot. */
export function pageAction<Body>(
  { verifyUrl }: { readonly verifyUrl: string },
  name: string,
  schema: z.ZodType<Body>,
  act: (body: Body, request: Request, response: Response) => Promise<void>,
): Router {
  const { origin } = new URL(verifyUrl);
  return endpoint(`${verifyRoute}/${name}`, "post", async (request, response) => {
    if (request.headers.origin !== origin) {
      throw new ServiceError("foreign_origin", `Only the page at ${origin} may send this request.`);
    }
    const body = await (noted(response).body ?? receiveJson(request));
    await act(parseJson(body, schema), request, response);
  });
}
