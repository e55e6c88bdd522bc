import { timingSafeEqual } from "node:crypto";
import type { Request, Router } from "express";
import { readAuthenticationTime, readWallClock } from "../../../chain/clock.ts";
import type { Chain } from "../../../chain/connect.ts";
import { failureReasons } from "../../../protocol/verifyPage.ts";
import type { ProviderClients } from "../../providers/client.ts";
import { endpoint } from "../http/endpoint.ts";
import { ProviderFailure } from "../providers/failure.ts";
import { proveAccount } from "../providers/oauth.ts";
import type { Service } from "../service/service.ts";
import { queryOf } from "./pageRequest.ts";
import { callbackUrl } from "./prove.ts";
import { isOfSession, type Proof, proofLifetime, randomId, type VisitParts } from "./session.ts";

type CallbackParts = VisitParts &
  Pick<Service, "logger" | "metrics" | "store"> & {
    providers: ProviderClients;
    /** The chain, if it is a local node's. */
    localNode: Chain | undefined;
  };

type Started = Extract<Proof, { step: "started" }>;

/** Seconds for one request to a provider. */
const timeout = 10;

/**
 * `GET /verify/callback/<provider>`: ends the sign-in when the browser comes back from a provider. It stores nothing
 * yet: the page shows the account, and a click stores it.
 */
export function callback(parts: CallbackParts): Router {
  const { cookies, verifyUrl, logger, metrics, providers } = parts;
  for (const provider of Object.keys(providers)) {
    for (const outcome of ["proven", ...failureReasons]) metrics.signIns.inc({ provider, outcome }, 0);
  }
  return endpoint("/verify/callback/:provider", {
    get: [
      async (request, response) => {
        const started = await findStarted(parts, request);
        if (started === undefined) return response.redirect(303, `${verifyUrl}?ended=true`);
        const { provider, session, wallet, query } = started;
        const bound = { session, wallet, provider };
        try {
          const proven = await proveStarted(parts, started, queryOf(request.url));
          metrics.signIns.inc({ provider, outcome: "proven" });
          await cookies.proof.write(response, { ...bound, step: "proven", id: randomId(), ...proven });
        } catch (error) {
          if (!(error instanceof ProviderFailure)) throw error;
          const { reason, message: detail } = error;
          metrics.signIns.inc({ provider, outcome: reason });
          const { requestId } = response.locals;
          logger.warn({ requestId, provider, reason, detail }, "A sign-in at a provider failed.");
          await cookies.proof.write(response, { ...bound, step: "failed", id: randomId(), reason, query });
        }
        response.redirect(303, query === "" ? verifyUrl : `${verifyUrl}?${query}`);
      },
    ],
  });
}

/** Finds the sign-in that this browser started at this provider with this state, and uses it up. */
async function findStarted(
  { cookies, store }: CallbackParts,
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
async function proveStarted(parts: CallbackParts, { provider, state, codeVerifier }: Started, query: string) {
  const { verifyUrl, providers, localNode } = parts;
  const client = providers[provider];
  if (client === undefined) throw new ProviderFailure(provider, "refused", "it is no longer set up.");
  const url = new URL(callbackUrl(verifyUrl, provider));
  url.search = query;
  const account = await proveAccount({ provider, client, callbackUrl: url, state, codeVerifier, timeout });
  const authenticatedAt = await readAuthenticationTime(localNode?.open());
  return { ...account, authenticatedAt };
}

function isEqual(ours: string, theirs: unknown): boolean {
  if (typeof theirs !== "string" || theirs.length !== ours.length) return false;
  const [left, right] = [Buffer.from(ours), Buffer.from(theirs)];
  return left.length === right.length && timingSafeEqual(left, right);
}
