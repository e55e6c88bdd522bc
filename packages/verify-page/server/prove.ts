import { type Readiness, ServiceError } from "@hardhat-identity/signer/pages";
import type { Router } from "express";
import type { Providers } from "../connectors/registration.ts";
import { type ProveAnswer, proveRequest } from "../messages.ts";
import { startAuthorization } from "../providers/oauth.ts";
import { pageAction } from "./guards.ts";
import { type AskedService, keepPageQuery, offeredProviders, requirePageRequest } from "./pageRequest.ts";
import { clearProofs, type EndpointParts, nameVisit, requireWallet } from "./session.ts";
import { type SealingService, sealWayBack } from "./wayBack.ts";

/** The part of the service that starts a sign-in at a provider. */
export interface ProvingService extends AskedService, SealingService {
  readonly config: AskedService["config"] & SealingService["config"];
  readonly providers: Providers;
  readonly readiness: Pick<Readiness, "requireClock">;
}

/** `POST /verify/prove`: starts the sign-in at a provider, and returns the URL to send the browser to. */
export function prove({ service, cookies }: EndpointParts<ProvingService>): Router {
  const { verifyUrl, readiness, providers } = service;
  return pageAction(service, "prove", proveRequest, async (asked, request, response) => {
    // The account will be dated by this machine's clock.
    await readiness.requireClock();
    const { id, wallet } = await requireWallet(cookies, request, asked.wallet);
    const query = keepPageQuery(asked.query);
    requirePageRequest(service, query);
    const provider = offeredProviders(service).find((name) => name === asked.provider);
    const client = provider && providers.clients[provider];
    if (provider === undefined || client === undefined) {
      throw new ServiceError("invalid_argument", "The provider is not set up at this service.");
    }
    const redirectUri = callbackUrl(verifyUrl, provider);
    const connector = providers.connectors[provider];
    const { url, state, codeVerifier } = startAuthorization({
      connector,
      client,
      redirectUri,
      stateTail: sealWayBack(service, { id }, query),
      uiLocales: asked.language,
    });
    const visit = nameVisit(query);
    await clearProofs(
      cookies,
      request,
      response,
      (proof) => proof.step === "failed" && proof.visit === visit,
    );
    await cookies.proofs.add(request, response, {
      step: "started",
      session: id,
      wallet,
      provider,
      visit,
      state,
      codeVerifier,
      query,
    });
    response.json({ location: url } satisfies ProveAnswer);
  });
}

/** Returns a provider's redirect URI. Each provider has its own path, so that none can answer for another. */
export function callbackUrl(verifyUrl: string, provider: string): string {
  return `${verifyUrl}/callback/${provider}`;
}
