import type { Router } from "express";
import { z } from "zod";
import { endpoint } from "../http/endpoint.ts";
import { ServiceError } from "../serviceError.ts";
import type { VerifyContext } from "./context.ts";
import { jsonBody, readBody, sameOriginOnly } from "./guards.ts";
import { requireWallet } from "./session.ts";

const body = z.object({ provider: z.string() });

/** `POST /verify/erase`: erases the wallet's credential at a provider. */
export function erase({ cookies, pageUrl, store }: VerifyContext): Router {
  return endpoint("/verify/erase", {
    post: [
      sameOriginOnly(pageUrl),
      ...jsonBody,
      async (request, response) => {
        const { provider } = readBody(request, body);
        const { wallet } = await requireWallet(cookies, request);
        if (!(await store.delete(wallet, provider))) {
          throw new ServiceError("not_found", "The wallet has no account of this provider here.");
        }
        response.status(204).end();
      },
    ],
  });
}
