import type { Router } from "express";
import { readWallClock } from "../../../chain/clock.ts";
import { eraseRequest, proofRequest } from "../../../protocol/verifyPage.ts";
import { noted } from "../http/requestLog.ts";
import { ServiceError } from "../limits/serviceError.ts";
import { pageAction } from "./guards.ts";
import { proofLifetimeSeconds, requireShownProof, requireWallet, type Visits } from "./session.ts";

/** `POST /verify/keep`: stores the proven account, in place of the wallet's previous account at this provider. */
export function keep({ service, cookies }: Visits): Router {
  const { readiness, store } = service;
  return pageAction(service, "keep", proofRequest, async (shown, request, response) => {
    // What must not be used twice is remembered until this machine's clock says that it has expired.
    await readiness.requireClock();
    const kept = await requireShownProof(cookies, request, shown);
    const proof = kept.content;
    const expiresAt = readWallClock() + proofLifetimeSeconds;
    if (proof.step !== "proven" || !(await store.spendNonce(`keep:${proof.id}`, expiresAt))) {
      throw new ServiceError("stale_page", "The proven account that the page showed is no longer pending.");
    }
    const { wallet, provider, accountId, traits, authenticatedAt } = proof;
    await store.set({ wallet, provider, accountId, traits, authenticatedAt }, noted(response).requestId);
    cookies.proofs.clear(response, kept);
    response.status(204).end();
  });
}

/** `POST /verify/discard`: forgets the proven account or the failed sign-in. */
export function discard({ service, cookies }: Visits): Router {
  return pageAction(service, "discard", proofRequest, async (shown, request, response) => {
    cookies.proofs.clear(response, await requireShownProof(cookies, request, shown));
    response.status(204).end();
  });
}

/** `POST /verify/erase`: erases the wallet's credential at a provider. */
export function erase({ service, cookies }: Visits): Router {
  return pageAction(service, "erase", eraseRequest, async (asked, request, response) => {
    const { wallet } = await requireWallet(cookies, request, asked.wallet);
    if (!(await service.store.delete(wallet, asked.provider, noted(response).requestId))) {
      throw new ServiceError("not_found", "The wallet has no account of this provider here.");
    }
    response.status(204).end();
  });
}
