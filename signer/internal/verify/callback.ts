import { timingSafeEqual } from "node:crypto";
import type { Request, Router } from "express";
import { readAuthenticationTime, readWallClock } from "../../../chain/clock.ts";
import { endpoint } from "../http/endpoint.ts";
import { ProviderFailure } from "../providers/failure.ts";
import { proveAccount } from "../providers/oauth.ts";
import type { Service } from "../service/service.ts";
import { queryOf } from "./pageRequest.ts";
import { callbackUrl } from "./prove.ts";
import { type Cookies, createCookies, isOfSession, type Proof, proofLifetime, randomId } from "./session.ts";

type Started = Extract<Proof, { step: "started" }>;

/** Seconds for one request to a provider. */
const timeout = 10;

/**
 * `GET /verify/callback/<provider>`: the browser comes back from a provider. Nothing is stored yet: the page shows what
 * would be, and a click stores it.
 */
export function callback(service: Service): Router {
  const { verifyUrl, logger, metrics } = service;
  const cookies = createCookies(service);

  return endpoint("/verify/callback/:provider", {
    get: [
      async (request, response) => {
        const started = await findStarted(service, cookies, request);
        if (started === undefined) return response.redirect(303, `${verifyUrl}?ended=true`);
        const { provider, session, wallet, query } = started;
        const bound = { session, wallet, provider };
        try {
          const proven = await proveStarted(service, started, queryOf(request.url));
          metrics.signIns.inc({ provider, outcome: "proven" });
          await cookies.proof.write(response, { ...bound, step: "proven", id: randomId(), ...proven });
        } catch (error) {
          if (!(error instanceof ProviderFailure)) throw error;
          const { reason, message: detail } = error;
          metrics.signIns.inc({ provider, outcome: reason });
          const { requestId } = response.locals;
          logger.warn({ requestId, provider, reason, detail }, "A sign-in at a provider failed.");
          await cookies.proof.write(response, { ...bound, step: "failed", id: randomId(), reason });
        }
        response.redirect(303, query === "" ? verifyUrl : `${verifyUrl}?${query}`);
      },
    ],
  });
}

/** The sign-in that this browser started, at this provider and with this state; using it up. */
async function findStarted(
  { store }: Service,
  cookies: Cookies,
  request: Request,
): Promise<Started | undefined> {
  const [session, proof] = await Promise.all([cookies.session.read(request), cookies.proof.read(request)]);
  const isOurs =
    proof?.step === "started" &&
    isOfSession(proof, session) &&
    proof.provider === request.params.provider &&
    isEqual(proof.state, request.query.state);
  if (!isOurs) return undefined;
  const expiresAt = readWallClock() + proofLifetime;
  return (await store.spendNonce(`state:${proof.state}`, expiresAt)) ? proof : undefined;
}

/** @throws ProviderFailure */
async function proveStarted(service: Service, { provider, state, codeVerifier }: Started, query: string) {
  const client = service.config.providers[provider];
  if (client === undefined) throw new ProviderFailure(provider, "refused", "it is not set up any more.");
  const url = new URL(callbackUrl(service, provider));
  url.search = query;
  const account = await proveAccount({ provider, client, callbackUrl: url, state, codeVerifier, timeout });
  const authenticatedAt = await readAuthenticationTime(
    service.startsLocal ? service.chain.open() : undefined,
  );
  return { ...account, authenticatedAt };
}

function isEqual(ours: string, theirs: unknown): boolean {
  if (typeof theirs !== "string" || theirs.length !== ours.length) return false;
  const [left, right] = [Buffer.from(ours), Buffer.from(theirs)];
  return left.length === right.length && timingSafeEqual(left, right);
}
