import { type CredentialStore, endpoint, type ListedCredential } from "@hardhat-identity/signer/pages";
import type { Router } from "express";
import { labelOf, type Providers } from "../connectors/registration.ts";
import type { Brand } from "../html/brand.ts";
import type { Overview, Proof } from "../messages.ts";
import { isUsed } from "./account.ts";
import {
  type AskedService,
  keepPageQuery,
  offeredProviders,
  queryOf,
  requirePageRequest,
} from "./pageRequest.ts";
import { type EndpointParts, nameVisit, type Proof as ProofCookie, readVisitor } from "./session.ts";

/** The part of the service that the overview shows. */
export interface OverviewService extends AskedService {
  readonly config: AskedService["config"] & {
    readonly chainId: number;
    readonly rpcUrl: string;
    readonly brand?: Brand | undefined;
  };
  readonly verifyUrl: string;
  readonly providers: Providers;
  readonly store: Pick<CredentialStore, "list" | "isSpent" | "hasOtherAccount">;
}

/** `GET /verify/overview?<the page's query>`: returns everything that the page shows. */
export function overview({ service, cookies }: EndpointParts<OverviewService>): Router {
  const { config, verifyUrl, providers, development } = service;
  return endpoint("/verify/overview", "get", async (request, response) => {
    const query = queryOf(request.url);
    const asked = requirePageRequest(service, query);
    const { session, proofs } = await readVisitor(cookies, request);
    const contents = proofs.map(({ content }) => content);
    const proof = await chooseProof(service, contents, nameVisit(keepPageQuery(query)));
    const wallet = session?.wallet;
    const stored = wallet === undefined ? undefined : await service.store.list({ wallet });
    response.json({
      pageUrl: verifyUrl,
      chainId: config.chainId,
      privacyUrl: config.brand?.privacyUrl,
      providers: offeredProviders(service).map((name) => ({
        name,
        label: labelOf(name, providers),
        asked: asked.providers.includes(name),
      })),
      returnTo: asked.returnTo,
      askedWallet: asked.wallet,
      since: asked.since,
      wallet,
      accounts: stored?.map(({ provider, traits, authenticatedAt }) => ({
        provider,
        label: labelOf(provider, providers),
        traits,
        authenticatedAt,
      })),
      proof: proof && (await describeProof(service, proof, stored ?? [])),
      // The page offers a local node's accounts as wallets.
      development: development ? { rpcUrl: config.rpcUrl } : undefined,
    } satisfies Overview);
  });
}

/**
 * Chooses the attempt that the page shows, the newest first: the outcome of one of this visit, or an account
 * that was proven in another. A failure is shown where it happened. An account that was stored already is shown with the
 * wallet's others: the answer that clears its cookie was lost.
 */
async function chooseProof(
  service: Pick<OverviewService, "store">,
  proofs: readonly ProofCookie[],
  visit: string,
): Promise<ProofCookie | undefined> {
  const ended = proofs.filter(({ step }) => step !== "started");
  const proven = ended.find(({ step }) => step === "proven");
  const chosen =
    ended.find((proof) => proof.visit === visit) ?? proven ?? proofs.find(({ step }) => step === "started");
  if (chosen?.step !== "proven" || !(await isUsed(service.store, chosen))) return chosen;
  const isOther = (proof: ProofCookie) => proof.step !== "proven" || proof.id !== chosen.id;
  return await chooseProof(service, proofs.filter(isOther), visit);
}

/** @param accounts The stored accounts of the proof's wallet. */
async function describeProof(
  { store, providers }: OverviewService,
  proof: ProofCookie,
  accounts: readonly ListedCredential[],
): Promise<Proof> {
  const { wallet, provider } = proof;
  const label = labelOf(provider, providers);
  if (proof.step === "started") return { step: proof.step, provider, label };
  const { id } = proof;
  if (proof.step === "failed") return { id, step: proof.step, provider, label, reason: proof.reason };
  const { accountId, accountName, traits, authenticatedAt } = proof;
  const replaces = await store.hasOtherAccount(wallet, provider, accountId);
  const stored = accounts.find((credential) => credential.provider === provider);
  const dropped = Object.keys(stored?.traits ?? {}).filter((name) => !Object.hasOwn(traits, name));
  const shown = { traits, accountName, authenticatedAt, replaces, dropped };
  return { id, step: proof.step, provider, label, ...shown };
}
