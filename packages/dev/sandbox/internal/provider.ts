import type { Connector } from "@hardhat-identity/verify-page/connectors/connector";
import type { ProviderClient } from "@hardhat-identity/verify-page/connectors/registration";
import { languageOf } from "@hardhat-identity/verify-page/html/plainPage";
import type { Request, Response } from "express";
import { exportJWK, generateKeyPair } from "jose";
import Provider, { interactionPolicy } from "oidc-provider";
import type { SandboxAccounts } from "./accounts.ts";
import { grantedScopes } from "./failures.ts";
import { createMemoryAdapter } from "./memoryAdapter.ts";
import { type SignIns, sendNotFound, sendRefusal } from "./page.ts";
import { sandboxTexts } from "./texts.ts";

/** An OAuth server that has the endpoints of one provider's connector. */
export async function createProvider(input: {
  connector: Connector;
  client: ProviderClient;
  /** Where the server is mounted. */
  issuer: string;
  accounts: SandboxAccounts;
  signIns: SignIns;
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
        // RFC 8252 lets a native client use any loopback port.
        application_type: "native",
        redirect_uris: ["127.0.0.1", "localhost", "[::1]"].map((host) => `http://${host}${callback}`),
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "ES256", use: "sig" }] },
    cookies: {
      keys: [client.clientSecret],
      // One host serves all sandbox providers.
      names: { session: sessionCookie },
    },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true, allowedPolicy: async () => true },
    },
    routes: {
      authorization: path(connector.authorizationEndpoint),
      token: path(connector.tokenEndpoint),
      revocation: path(connector.revocationEndpoint ?? "/revoke"),
    },
    scopes: [...connector.scopes],
    pkce: { required: () => connector.codeChallenge !== "none" },
    async renderError(ctx, { error, error_description: reason = error }) {
      // Express's own, who has called: what is answered here is its page.
      ctx.respond = false;
      const language = languageOf(ctx.req as Request);
      const texts = sandboxTexts[language];
      sendRefusal(ctx.res as Response, {
        connector,
        language,
        title: texts.refusedTitle,
        says: texts.refused,
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
      const failure = accounts.get(session.accountId)?.failure;
      grant.addOIDCScope(grantedScopes(connector, failure).join(" "));
      await grant.save();
      return grant;
    },
  });
  provider.use(async (ctx, next) => {
    // Drops the session cookie, so that everybody is asked to sign in.
    const cookies = (ctx.headers.cookie ?? "").split(/;\s*/);
    ctx.headers.cookie = cookies.filter((pair) => !pair.startsWith(sessionCookie)).join("; ");
    ctx.query = speakStandard(connector, ctx.query);
    // oidc-provider decodes the credentials. Providers compare them as they are.
    const { authorization = "" } = ctx.headers;
    const credentials = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString("base64");
    if (/^Basic /.test(authorization) && !authorization.endsWith(` ${credentials}`))
      delete ctx.headers.authorization;
    await next();
    if (ctx.status !== 404 || ctx.accepts("json", "html") !== "html") return;
    ctx.respond = false;
    sendNotFound(ctx.req as Request, ctx.res as Response, input.signIns);
  });
  return provider;
}

/** Turns what a provider asks for into what oidc-provider takes: RFC 6749 and RFC 7636. */
function speakStandard(connector: Connector, query: Record<string, unknown>): Record<string, string> {
  const { scopeSeparator = " ", codeChallenge, clientIdParameter = "client_id" } = connector;
  // oidc-provider asks for the account anyway, and knows no prompt for it.
  const { prompt, ...asked } = query as Record<string, string>;
  const { scope, code_challenge: challenge = "", [clientIdParameter]: id = "" } = asked;
  if (scope === undefined) return asked;
  const inHex = Buffer.from(challenge, "hex").toString("base64url");
  const code_challenge = codeChallenge === "hex" ? inHex : challenge;
  return { ...asked, client_id: id, scope: scope.replaceAll(scopeSeparator, " "), code_challenge };
}

/** Leaves the grant to `loadExistingGrant`: who signs in has agreed. */
function withoutConsent(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  return policy;
}
