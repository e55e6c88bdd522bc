import type { Router } from "express";
import { endpoint } from "../http/endpoint.ts";
import { ServiceError } from "../serviceError.ts";
import type { VerifyContext } from "./context.ts";
import { sameOriginOnly } from "./guards.ts";
import { proofLifetime, requireWallet } from "./session.ts";

/** `POST /verify/keep`: stores the account that was proven, in place of the wallet's former one at this provider. */
export function keep(context: VerifyContext): Router {
  const { cookies, pageUrl, store } = context;
  return endpoint("/verify/keep", {
    post: [
      sameOriginOnly(pageUrl),
      async (request, response) => {
        const { id, wallet } = await requireWallet(cookies, request);
        const proof = await cookies.proof.read(request);
        const expiresAt = Math.floor(Date.now() / 1000) + proofLifetime;
        const isOurs = proof?.step === "proven" && proof.session === id && proof.wallet === wallet;
        if (!isOurs || !(await store.spendNonce(`keep:${proof.nonce}`, expiresAt))) {
          throw new ServiceError("invalid_argument", "No proven account waits to be stored; prove it again.");
        }
        const { provider, accountId, traits, authenticatedAt } = proof;
        await store.set({ wallet, provider, accountId, traits, authenticatedAt });
        cookies.proof.clear(response);
        response.status(204).end();
      },
    ],
  });
}

/** `POST /verify/discard`: forgets the account that was proven, or the sign-in that failed. */
export function discard({ cookies, pageUrl }: VerifyContext): Router {
  return endpoint("/verify/discard", {
    post: [
      sameOriginOnly(pageUrl),
      (_request, response) => {
        cookies.proof.clear(response);
        response.status(204).end();
      },
    ],
  });
}
