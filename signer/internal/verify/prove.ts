import type { Router } from "express";
import { type ProveAnswer, proveRequest } from "../../../protocol/verifyPage.ts";
import { endpoint } from "../http/endpoint.ts";
import { startAuthorization } from "../providers/oauth.ts";
import type { Service } from "../service/service.ts";
import { ServiceError } from "../service/serviceError.ts";
import { jsonBody, readBody, sameOriginOnly } from "./guards.ts";
import { demandPageRequest, keepPageQuery, offeredProviders } from "./pageRequest.ts";
import { createCookies, requireWallet } from "./session.ts";

/** `POST /verify/prove`: starts the sign-in at a provider, and answers where to send the browser. */
export function prove(service: Service): Router {
  const { config, verifyUrl } = service;
  const cookies = createCookies(service);
  return endpoint("/verify/prove", {
    post: [
      sameOriginOnly(verifyUrl),
      ...jsonBody,
      async (request, response) => {
        // The account will be dated by this machine's clock.
        await service.readiness.demandClock();
        const asked = readBody(request, proveRequest);
        const { id, wallet } = await requireWallet(cookies, request, asked.wallet);
        const query = keepPageQuery(asked.query);
        demandPageRequest(service, query);
        const provider = offeredProviders(service).find((name) => name === asked.provider);
        const client = provider && config.providers[provider];
        if (provider === undefined || client === undefined) {
          throw new ServiceError("invalid_argument", "The provider is not set up at this service.");
        }
        const redirectUri = callbackUrl(service, provider);
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
        response.json({ location: url } satisfies ProveAnswer);
      },
    ],
  });
}

/** Where a provider sends the browser back to: a path of its own for each, so that none can answer for another. */
export function callbackUrl({ verifyUrl }: Service, provider: string): string {
  return `${verifyUrl}/callback/${provider}`;
}
