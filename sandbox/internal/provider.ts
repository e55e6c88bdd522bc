import type { Request, Response } from "express";
import { exportJWK, generateKeyPair } from "jose";
import Provider, { interactionPolicy } from "oidc-provider";
import type { ProviderClient } from "../../signer/providers/client.ts";
import type { Connector } from "../../signer/providers/connector.ts";
import type { SandboxAccounts } from "./accounts.ts";
import { createMemoryAdapter } from "./memoryAdapter.ts";
import { sendNotFound, sendRefusal, type Visits } from "./page.ts";

/** An OAuth server that has the endpoints of one provider's connector. */
export async function createProvider(input: {
  connector: Connector;
  client: ProviderClient;
  /** Where the server is mounted. */
  issuer: string;
  accounts: SandboxAccounts;
  cookieSecret: string;
  visits: Visits;
}): Promise<Provider> {
  const { connector, client, accounts } = input;
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const path = (endpoint: string) => new URL(endpoint, "https://base.invalid").pathname;
  const callback = `/verify/callback/${connector.name}`;
  const sessionCookie = `${connector.name}_session`;
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
        session: sessionCookie,
        interaction: `${connector.name}_interaction`,
        resume: `${connector.name}_resume`,
      },
    },
    features: { devInteractions: { enabled: false } },
    routes: { authorization: path(connector.authorizationEndpoint), token: path(connector.tokenEndpoint) },
    scopes: [...connector.scopes],
    pkce: { required: () => true },
    async renderError(ctx, { error, error_description: reason = error }) {
      // Express's own, who has called: what is answered here is its page.
      ctx.respond = false;
      sendRefusal(ctx.req as Request, ctx.res as Response, {
        connector,
        title: (texts) => texts.refusedTitle,
        says: (texts) => texts.refused,
        reason,
      });
    },
    ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 3600, Interaction: 3600, Session: 3600 },
    interactions: {
      policy: withoutConsent(),
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
  provider.use(async (ctx, next) => {
    // Whoever signed in last, one is asked again.
    const cookies = (ctx.headers.cookie ?? "").split(/;\s*/);
    ctx.headers.cookie = cookies.filter((pair) => !pair.startsWith(sessionCookie)).join("; ");
    const { scope } = ctx.query;
    if (connector.scopeSeparator !== undefined && typeof scope === "string") {
      ctx.query = { ...ctx.query, scope: scope.replaceAll(connector.scopeSeparator, " ") };
    }
    await next();
    if (ctx.status !== 404 || ctx.accepts("json", "html") !== "html") return;
    ctx.respond = false;
    sendNotFound(ctx.req as Request, ctx.res as Response, input.visits);
  });
  return provider;
}

/** Leaves the grant to `loadExistingGrant`: who signs in has agreed. */
function withoutConsent(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  return policy;
}
