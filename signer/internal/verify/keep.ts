import type { Router } from "express";
import { readWallClock } from "../../../chain/clock.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Service } from "../service.ts";
import { ServiceError } from "../serviceError.ts";
import { sameOriginOnly } from "./guards.ts";
import { createCookies, isOfSession, proofLifetime, requireWallet } from "./session.ts";

/** `POST /verify/keep`: stores the account that was proven, in place of the wallet's former one at this provider. */
export function keep(service: Service): Router {
  const { verifyUrl, store } = service;
  const cookies = createCookies(service);
  return endpoint("/verify/keep", {
    post: [
      sameOriginOnly(verifyUrl),
      async (request, response) => {
        const session = await requireWallet(cookies, request);
        const proof = await cookies.proof.read(request);
        const expiresAt = readWallClock() + proofLifetime;
        const isOurs = proof?.step === "proven" && isOfSession(proof, session);
        if (!isOurs || !(await store.spendNonce(`keep:${proof.nonce}`, expiresAt))) {
          throw new ServiceError("invalid_argument", "No proven account waits to be stored; prove it again.");
        }
        const { wallet, provider, accountId, traits, authenticatedAt } = proof;
        await store.set({ wallet, provider, accountId, traits, authenticatedAt });
        cookies.proof.clear(response);
        response.status(204).end();
      },
    ],
  });
}
