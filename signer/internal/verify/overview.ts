import type { Router } from "express";
import type { Account, Overview, Proof } from "../../../protocol/verifyPage.ts";
import { labelOf } from "../../providers/client.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Service } from "../service/service.ts";
import { demandPageRequest, offeredProviders, queryOf } from "./pageRequest.ts";
import { createCookies, isOfSession, type Proof as ProofCookie } from "./session.ts";

/** `GET /verify/overview?<the page's query>`: everything that the page shows. */
export function overview(service: Service): Router {
  const { config, verifyUrl: pageUrl, startsLocal } = service;
  const cookies = createCookies(service);
  return endpoint("/verify/overview", {
    get: [
      async (request, response) => {
        const asked = demandPageRequest(service, queryOf(request.url));
        const [session, proof] = await Promise.all([
          cookies.session.read(request),
          cookies.proof.read(request),
        ]);
        const wallet = session?.wallet;
        response.json({
          pageUrl,
          chainId: config.chainId,
          privacyUrl: config.privacyUrl,
          providers: offeredProviders(service).map((name) => ({
            name,
            label: labelOf(name, config.providers),
            asked: asked.providers.includes(name),
          })),
          returnTo: asked.returnTo,
          askedWallet: asked.wallet,
          since: asked.since,
          wallet,
          accounts: wallet === undefined ? undefined : await listAccounts(service, wallet),
          proof: proof && isOfSession(proof, session) ? await describeProof(service, proof) : undefined,
          development: startsLocal ? { rpcUrl: config.rpcUrl } : undefined,
        } satisfies Overview);
      },
    ],
  });
}

async function listAccounts({ store, config }: Service, wallet: string): Promise<Account[]> {
  const credentials = await store.list({ wallet });
  return credentials.map(({ provider, traits, authenticatedAt }) => ({
    provider,
    label: labelOf(provider, config.providers),
    traits,
    authenticatedAt,
  }));
}

async function describeProof({ store, config }: Service, proof: ProofCookie): Promise<Proof> {
  const { wallet, provider } = proof;
  const label = labelOf(provider, config.providers);
  if (proof.step === "started") return { step: proof.step, provider, label };
  const { id } = proof;
  if (proof.step === "failed") return { id, step: proof.step, provider, label, reason: proof.reason };
  const { accountId, traits, authenticatedAt } = proof;
  const replaces = await store.hasOtherAccount(wallet, provider, accountId);
  return { id, step: proof.step, provider, label, traits, authenticatedAt, replaces };
}
