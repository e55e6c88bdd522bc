import type { Router } from "express";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { pseudonym } from "../../../protocol/identityHash.ts";
import { labelOf } from "../../providers/client.ts";
import { endpoint } from "../http/endpoint.ts";
import { ServiceError } from "../serviceError.ts";
import type { VerifyContext } from "./context.ts";
import { type PageRequest, queryOf, readPageRequest } from "./pageRequest.ts";
import type { Proof, Session } from "./session.ts";

/** `GET /verify/overview?<the page's query>`: everything that the page shows. */
export function overview(context: VerifyContext): Router {
  const { cookies, clients, offered, pageUrl, chainId, developmentRpcUrl } = context;
  return endpoint("/verify/overview", {
    get: [
      async (request, response) => {
        const { providers, returnTo } = readAsked(context, queryOf(request.url));
        const [session, proof] = await Promise.all([
          cookies.session.read(request),
          cookies.proof.read(request),
        ]);
        const wallet = session?.wallet;
        response.json({
          pageUrl,
          chainId,
          providers: offered.map((name) => ({
            name,
            label: labelOf(name, clients),
            asked: providers.includes(name),
          })),
          ...(returnTo === undefined ? {} : { returnTo }),
          ...(wallet === undefined ? {} : { wallet, accounts: await listAccounts(context, wallet) }),
          ...(await describeProof(context, session, proof)),
          ...(developmentRpcUrl === undefined ? {} : { development: { rpcUrl: developmentRpcUrl } }),
        });
      },
    ],
  });
}

function readAsked({ redirectRules, offered }: VerifyContext, query: string): PageRequest {
  try {
    return readPageRequest(query, redirectRules, offered);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new ServiceError("invalid_argument", error.message);
  }
}

async function listAccounts({ store, clients }: VerifyContext, wallet: string) {
  const credentials = await store.list({ wallet });
  return credentials.map(({ provider, traits, authenticatedAt }) => ({
    provider,
    label: labelOf(provider, clients),
    traits,
    authenticatedAt,
  }));
}

async function describeProof(
  { store, clients, accountKey }: VerifyContext,
  session: Session | undefined,
  proof: Proof | undefined,
) {
  if (proof === undefined || proof.step === "started") return {};
  const { wallet, provider } = proof;
  if (session?.id !== proof.session || session.wallet !== wallet) return {};
  const label = labelOf(provider, clients);
  if (proof.step === "failed") return { proof: { step: proof.step, provider, label, reason: proof.reason } };
  const { accountId, traits, authenticatedAt } = proof;
  const former = await store.find(wallet, provider);
  const replaces =
    former !== undefined && former.pseudonym !== pseudonym({ accountKey, provider, accountId });
  return { proof: { step: proof.step, provider, label, traits, authenticatedAt, replaces } };
}
