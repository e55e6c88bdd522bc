import type { Router } from "express";
import type { Account, Overview, Proof } from "../../../protocol/verifyPage.ts";
import { labelOf, type ProviderClients } from "../../providers/client.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Service } from "../service/service.ts";
import { type DemandPageRequest, keepPageQuery, offeredProviders, queryOf } from "./pageRequest.ts";
import { isOfSession, type Proof as ProofCookie, type VisitParts } from "./session.ts";

type OverviewParts = VisitParts &
  Pick<Service, "store"> & {
    chainId: number;
    privacyUrl: string | undefined;
    providers: ProviderClients;
    /** The URL of a local node, whose accounts the page offers as wallets. */
    localUrl: string | undefined;
    demandPageRequest: DemandPageRequest;
  };

/** `GET /verify/overview?<the page's query>`: returns everything that the page shows. */
export function overview(parts: OverviewParts): Router {
  const { cookies, verifyUrl, chainId, privacyUrl, providers, localUrl, demandPageRequest } = parts;
  return endpoint("/verify/overview", {
    get: [
      async (request, response) => {
        const query = queryOf(request.url);
        const asked = demandPageRequest(query);
        const [session, proof] = await Promise.all([
          cookies.session.read(request),
          cookies.proof.read(request),
        ]);
        const wallet = session?.wallet;
        response.json({
          pageUrl: verifyUrl,
          chainId,
          privacyUrl,
          providers: offeredProviders(providers).map((name) => ({
            name,
            label: labelOf(name, providers),
            asked: asked.providers.includes(name),
          })),
          returnTo: asked.returnTo,
          askedWallet: asked.wallet,
          since: asked.since,
          wallet,
          accounts: wallet === undefined ? undefined : await listAccounts(parts, wallet),
          proof:
            proof && isOfSession(proof, session) && isOfVisit(proof, query)
              ? await describeProof(parts, proof)
              : undefined,
          development: localUrl === undefined ? undefined : { rpcUrl: localUrl },
        } satisfies Overview);
      },
    ],
  });
}

/** Returns whether a proof is shown on the page with this query: a failure is, where it happened. */
const isOfVisit = (proof: ProofCookie, query: string): boolean =>
  proof.step !== "failed" || proof.query === keepPageQuery(query);

async function listAccounts({ store, providers }: OverviewParts, wallet: string): Promise<Account[]> {
  const credentials = await store.list({ wallet });
  return credentials.map(({ provider, traits, authenticatedAt }) => ({
    provider,
    label: labelOf(provider, providers),
    traits,
    authenticatedAt,
  }));
}

async function describeProof({ store, providers }: OverviewParts, proof: ProofCookie): Promise<Proof> {
  const { wallet, provider } = proof;
  const label = labelOf(provider, providers);
  if (proof.step === "started") return { step: proof.step, provider, label };
  const { id } = proof;
  if (proof.step === "failed") return { id, step: proof.step, provider, label, reason: proof.reason };
  const { accountId, traits, authenticatedAt } = proof;
  const replaces = await store.hasOtherAccount(wallet, provider, accountId);
  return { id, step: proof.step, provider, label, traits, authenticatedAt, replaces };
}
