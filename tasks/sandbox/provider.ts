import { exportJWK, generateKeyPair } from "jose";
import Provider, { interactionPolicy } from "oidc-provider";
import type { ProviderClient } from "../../signer/providers/client.ts";
import type { Connector } from "../../signer/providers/connector.ts";
import type { SandboxAccounts } from "./accounts.ts";
import { createMemoryAdapter } from "./memoryAdapter.ts";

/** An OAuth server that has the endpoints of one provider's connector. */
export async function createProvider(input: {
  connector: Connector;
  client: ProviderClient;
  /** Where the server is mounted. */
  issuer: string;
  accounts: SandboxAccounts;
  cookieSecret: string;
}): Promise<Provider> {
  const { connector, client, accounts } = input;
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const path = (endpoint: string) => new URL(endpoint, "https://base.invalid").pathname;
  const callback = `/verify/callback/${connector.name}`;
  const provider: Provider = new Provider(input.issuer, {
    adapter: createMemoryAdapter(),
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        token_endpoint_auth_method: connector.clientAuthentication,
        // Of a native client, RFC 8252 has the loopback port left open.
        application_type: "native",
        redirect_uris: ["127.0.0.1", "localhost", "[::1]"].map((host) => `http://${host}${callback}`),
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "ES256", use: "sig" }] },
    cookies: {
      keys: [input.cookieSecret],
      // One host serves all sandbox providers.
      names: {
        session: `${connector.name}_session`,
        interaction: `${connector.name}_interaction`,
        resume: `${connector.name}_resume`,
      },
    },
    features: { devInteractions: { enabled: false } },
    routes: { authorization: path(connector.authorizationEndpoint), token: path(connector.tokenEndpoint) },
    scopes: [...connector.scopes],
    pkce: { required: () => true },
    async renderError(ctx, out) {
      ctx.type = "text";
      ctx.body = `The sandbox refuses this request: ${out.error_description ?? out.error}\n`;
    },
    ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 3600, Interaction: 3600, Session: 3600 },
    interactions: {
      policy: alwaysAsk(),
      url: (_ctx, interaction) => `${input.issuer}/sign-in/${interaction.uid}`,
    },
    findAccount: (_ctx, accountId) =>
      accounts.has(accountId) ? { accountId, claims: () => ({ sub: accountId }) } : undefined,
    async loadExistingGrant(ctx) {
      const { client: oauthClient, session } = ctx.oidc;
      if (!oauthClient || !session?.accountId) return undefined;
      const grant = new provider.Grant({ clientId: oauthClient.clientId, accountId: session.accountId });
      grant.addOIDCScope(connector.scopes.join(" "));
      await grant.save();
      return grant;
    },
  });
  const { scopeSeparator } = connector;
  provider.use(async (ctx, next) => {
    const { scope } = ctx.query;
    if (scopeSeparator !== undefined && typeof scope === "string") {
      ctx.query = { ...ctx.query, scope: scope.replaceAll(scopeSeparator, " ") };
    }
    await next();
  });
  return provider;
}

/** Asks who one is at every sign-in, whoever signed in last. */
function alwaysAsk(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  const { Check } = interactionPolicy;
  policy
    .get("login")
    ?.checks.add(
      new Check("always", "somebody must be picked", "login_required", (ctx) =>
        ctx.oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
      ),
    );
  return policy;
}
