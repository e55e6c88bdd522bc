import type { Router } from "express";
import { z } from "zod";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { endpoint } from "../http/endpoint.ts";
import { startAuthorization } from "../providers/oauth.ts";
import { ServiceError } from "../serviceError.ts";
import type { VerifyContext } from "./context.ts";
import { jsonBody, readBody, sameOriginOnly } from "./guards.ts";
import { keepPageQuery, readPageRequest } from "./pageRequest.ts";
import { requireWallet } from "./session.ts";

const body = z.object({ provider: z.string(), query: z.string().max(8_000) });

/** `POST /verify/prove`: starts the sign-in at a provider, and answers where to send the browser. */
export function prove(context: VerifyContext): Router {
  const { cookies, pageUrl, clients, offered, redirectRules } = context;
  return endpoint("/verify/prove", {
    post: [
      sameOriginOnly(pageUrl),
      ...jsonBody,
      async (request, response) => {
        const asked = readBody(request, body);
        const { id, wallet } = await requireWallet(cookies, request);
        const query = keepPageQuery(asked.query);
        try {
          readPageRequest(query, redirectRules, offered);
        } catch (error) {
          if (!(error instanceof InvalidInputError)) throw error;
          throw new ServiceError("invalid_argument", error.message);
        }
        const provider = offered.find((name) => name === asked.provider);
        const client = provider && clients[provider];
        if (provider === undefined || client === undefined) {
          throw new ServiceError("invalid_argument", "The provider is not set up at this service.");
        }
        const redirectUri = callbackUrl(pageUrl, provider);
        const { url, state, codeVerifier } = await startAuthorization({ provider, client, redirectUri });
        await cookies.proof.write(response, {
          step: "started",
          session: id,
          wallet,
          provider,
          state,
          codeVerifier,
          query,
        });
        response.json({ location: url });
      },
    ],
  });
}

/** Where a provider sends the browser back to: a path of its own for each, so that none can answer for another. */
export function callbackUrl(pageUrl: string, provider: string): string {
  return `${pageUrl}/callback/${provider}`;
}
