import { readWallClock } from "@hardhat-identity/protocol/chain/clock";
import { type CredentialStore, noted, type Readiness, ServiceError } from "@hardhat-identity/signer/pages";
import type { Router } from "express";
import { type DiscardAnswer, eraseRequest, proofRequest } from "../messages.ts";
import { pageAction } from "./guards.ts";
import {
  type EndpointParts,
  type Proof,
  proofLifetimeSeconds,
  requireShownProof,
  requireWallet,
} from "./session.ts";

type Proven = Extract<Proof, { step: "proven" }>;

/** The part of the service that stores an account. */
export interface KeepingService {
  readonly verifyUrl: string;
  readonly readiness: Pick<Readiness, "requireClock">;
  readonly store: Pick<CredentialStore, "set" | "spendNonce" | "isSpent" | "find" | "hasOtherAccount">;
}

/** The part of the service that erases an account. */
export interface ErasingService {
  readonly verifyUrl: string;
  readonly store: Pick<CredentialStore, "delete">;
}

/**
 * `POST /verify/keep`: stores the proven account, in place of the wallet's previous account at this provider. A request
 * whose answer was lost may be repeated: the proof counts as used once the store has it.
 */
export function keep({ service, cookies }: EndpointParts<KeepingService>): Router {
  const { readiness, store } = service;
  return pageAction(service, "keep", proofRequest, async (shown, request, response) => {
    // One-time values are forgotten when they expire by this machine's clock, so the clock must be right.
    await readiness.requireClock();
    const kept = await requireShownProof(cookies, request, shown);
    const proof = kept.content;
    if (proof.step !== "proven") {
      throw new ServiceError("stale_page", "The sign-in that the page showed has failed.");
    }
    if (!(await isUsed(store, proof))) {
      const { wallet, provider, accountId, traits, authenticatedAt } = proof;
      await store.set({ wallet, provider, accountId, traits, authenticatedAt }, noted(response).requestId);
      await store.spendNonce(nonceOf(proof), readWallClock() + proofLifetimeSeconds);
    } else if (!(await isStored(store, proof))) {
      throw new ServiceError("stale_page", "The account that the page showed was deleted or replaced since.");
    }
    cookies.proofs.clear(response, kept);
    response.status(204).end();
  });
}

/** `POST /verify/discard`: forgets the proven account or the failed sign-in, and tells whether it is stored already. */
export function discard({ service, cookies }: EndpointParts<Omit<KeepingService, "readiness">>): Router {
  const { store } = service;
  return pageAction(service, "discard", proofRequest, async (shown, request, response) => {
    const kept = await requireShownProof(cookies, request, shown);
    const proof = kept.content;
    const stored = proof.step === "proven" && (await isStored(store, proof));
    cookies.proofs.clear(response, kept);
    response.json({ stored } satisfies DiscardAnswer);
  });
}

/** Whether a proven account was stored before, by a request whose answer the page may not have got. */
export const isUsed = (store: Pick<CredentialStore, "isSpent">, proof: Proven): Promise<boolean> =>
  store.isSpent(nonceOf(proof));

const nonceOf = ({ id }: Proven): string => `keep:${id}`;

async function isStored(store: KeepingService["store"], proof: Proven): Promise<boolean> {
  const { wallet, provider, accountId, authenticatedAt } = proof;
  const found = await store.find(wallet, provider);
  if (found?.authenticatedAt !== authenticatedAt) return false;
  return !(await store.hasOtherAccount(wallet, provider, accountId));
}

/** `POST /verify/erase`: erases the wallet's credential at a provider. */
export function erase({ service, cookies }: EndpointParts<ErasingService>): Router {
  return pageAction(service, "erase", eraseRequest, async (asked, request, response) => {
    const { wallet } = await requireWallet(cookies, request, asked.wallet);
    if (!(await service.store.delete(wallet, asked.provider, noted(response).requestId))) {
      throw new ServiceError("not_found", "The wallet has no account of this provider here.");
    }
    response.status(204).end();
  });
}
