import { timingSafeEqual } from "node:crypto";
import type { Request, Response, Router } from "express";
import { readAuthenticationTime } from "../../../chain/clock.ts";
import { endpoint } from "../http/endpoint.ts";
import { ProviderFailure } from "../providers/failure.ts";
import { proveAccount } from "../providers/oauth.ts";
import type { VerifyContext } from "./context.ts";
import { queryOf } from "./pageRequest.ts";
import { callbackUrl } from "./prove.ts";
import { type Proof, proofLifetime, randomId } from "./session.ts";

type Started = Extract<Proof, { step: "started" }>;

/**
 * `GET /verify/callback/<provider>`: the browser comes back from a provider. Nothing is stored yet: the page shows what
 * would be, and a click stores it.
 */
export function callback(context: VerifyContext): Router {
  const { cookies, pageUrl } = context;
  return endpoint("/verify/callback/:provider", {
    get: [
      async (request, response) => {
        const started = await findStarted(context, request);
        if (started === undefined) return response.redirect(303, `${pageUrl}?ended=true`);
        await cookies.proof.write(response, await finish(context, request, response, started));
        response.redirect(303, started.query === "" ? pageUrl : `${pageUrl}?${started.query}`);
      },
    ],
  });
}

/** The sign-in that this browser started, at this provider and with this state; using it up. */
async function findStarted(
  { cookies, store }: VerifyContext,
  request: Request,
): Promise<Started | undefined> {
  const [session, proof] = await Promise.all([cookies.session.read(request), cookies.proof.read(request)]);
  if (proof?.step !== "started" || session?.wallet === undefined) return undefined;
  const isOurs =
    proof.session === session.id &&
    proof.wallet === session.wallet &&
    proof.provider === request.params.provider &&
    isEqual(proof.state, request.query.state);
  if (!isOurs) return undefined;
  const expiresAt = Math.floor(Date.now() / 1000) + proofLifetime;
  return (await store.spendNonce(`state:${proof.state}`, expiresAt)) ? proof : undefined;
}

async function finish(
  context: VerifyContext,
  request: Request,
  response: Response,
  started: Started,
): Promise<Proof> {
  const { provider, session, wallet, state, codeVerifier } = started;
  const client = context.clients[provider];
  const bound = { session, wallet, provider };
  try {
    if (client === undefined) throw new ProviderFailure(provider, "refused", "it is not set up any more.");
    const url = new URL(callbackUrl(context.pageUrl, provider));
    url.search = queryOf(request.url);
    const timeout = context.providerTimeout;
    const account = await proveAccount({ provider, client, callbackUrl: url, state, codeVerifier, timeout });
    context.signIns.inc({ provider, outcome: "proven" });
    const authenticatedAt = await readAuthenticationTime(
      context.developmentRpcUrl === undefined ? undefined : context.chain.open(),
    );
    return { ...bound, step: "proven", nonce: randomId(), authenticatedAt, ...account };
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    const { reason } = error;
    context.signIns.inc({ provider, outcome: reason });
    context.logger.warn(
      { requestId: response.locals.requestId, provider, reason, detail: error.message },
      "A sign-in at a provider failed.",
    );
    return { ...bound, step: "failed", reason };
  }
}

function isEqual(ours: string, theirs: unknown): boolean {
  if (typeof theirs !== "string" || theirs.length !== ours.length) return false;
  const [left, right] = [Buffer.from(ours), Buffer.from(theirs)];
  return left.length === right.length && timingSafeEqual(left, right);
}
