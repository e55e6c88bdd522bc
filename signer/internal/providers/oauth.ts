import * as oauth from "openid-client";
import type { ProviderName } from "../../../protocol/catalogue.ts";
import { parseJsonLosslessly } from "../../../protocol/json.ts";
import { endpointUrl, type ProviderClient } from "../../providers/client.ts";
import type { Connector } from "../../providers/connector.ts";
import { connectors } from "../../providers/connectors.ts";
import { ProviderFailure } from "./failure.ts";
import { nameOAuthError } from "./oauthErrors.ts";
import { createProviderFetch } from "./providerFetch.ts";
import { type ProvenAccount, readAccount } from "./readAccount.ts";

/** A started sign-in at a provider. {@link proveAccount} needs its state and its verifier. */
export interface StartedAuthorization {
  /** The URL to send the browser to. */
  readonly url: string;
  readonly state: string;
  /** PKCE (RFC 7636): a code is useless without it. */
  readonly codeVerifier: string;
}

/**
 * Starts a sign-in at a provider: OAuth 2.0 authorization code with PKCE.
 *
 * @param input.uiLocales Languages for the provider's pages, as OpenID Connect's `ui_locales`. OAuth servers ignore
 * parameters that they do not know (RFC 6749, section 3.1).
 */
export async function startAuthorization(input: {
  provider: ProviderName;
  client: ProviderClient;
  redirectUri: string;
  uiLocales?: string | undefined;
}): Promise<StartedAuthorization> {
  const connector = connectors[input.provider];
  const state = oauth.randomState();
  const codeVerifier = oauth.randomPKCECodeVerifier();
  const url = oauth.buildAuthorizationUrl(configure(connector, input.client, 0), {
    redirect_uri: input.redirectUri,
    scope: connector.scopes.join(connector.scopeSeparator ?? " "),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
    ...(input.uiLocales ? { ui_locales: input.uiLocales } : {}),
    ...(connector.clientIdParameter ? { [connector.clientIdParameter]: input.client.clientId } : {}),
  });
  return { url: url.href, state, codeVerifier };
}

/**
 * Ends a sign-in: exchanges the code for an access token, reads the account with the token, and forgets the token.
 *
 * @param input.callbackUrl The redirect URI with the query that the browser came back with.
 * @param input.timeout Seconds for each request.
 * @throws ProviderFailure
 */
export async function proveAccount(input: {
  provider: ProviderName;
  client: ProviderClient;
  callbackUrl: URL;
  state: string;
  codeVerifier: string;
  timeout: number;
}): Promise<ProvenAccount> {
  const connector = connectors[input.provider];
  const config = configure(connector, input.client, input.timeout);
  try {
    const { access_token } = await oauth.authorizationCodeGrant(config, input.callbackUrl, {
      expectedState: input.state,
      pkceCodeVerifier: input.codeVerifier,
    });
    const answers = await Promise.all(
      Object.entries(connector.calls).map(async ([name, endpoint]) => {
        const url = endpointUrl(endpoint, input.client);
        return [name, await callApi(connector, config, access_token, url)] as const;
      }),
    );
    return readAccount(connector, Object.fromEntries(answers));
  } catch (error) {
    throw toFailure(connector.name, error);
  }
}

function configure(connector: Connector, client: ProviderClient, timeout: number): oauth.Configuration {
  const authorizationEndpoint = endpointUrl(connector.authorizationEndpoint, client);
  const server = {
    issuer: client.baseUrl ?? new URL(authorizationEndpoint).origin,
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: endpointUrl(connector.tokenEndpoint, client),
  };
  const config = new oauth.Configuration(server, client.clientId, {}, authenticate(connector, client));
  config.timeout = timeout;
  config[oauth.customFetch] = withTokenType(connector, server.token_endpoint);
  // The configuration was checked for plain http when it was read.
  if (client.baseUrl?.startsWith("http:")) oauth.allowInsecureRequests(config);
  return config;
}

function authenticate(connector: Connector, { clientId, clientSecret }: ProviderClient): oauth.ClientAuth {
  const { clientAuthentication, clientIdParameter } = connector;
  const standard =
    clientAuthentication === "client_secret_basic"
      ? oauth.ClientSecretBasic(clientSecret)
      : oauth.ClientSecretPost(clientSecret);
  return (server, client, body, headers) => {
    standard(server, client, body, headers);
    if (clientIdParameter !== undefined) body.set(clientIdParameter, clientId);
  };
}

function withTokenType({ name, tokenType }: Connector, tokenEndpoint: string): oauth.CustomFetch {
  const providerFetch = createProviderFetch(name);
  if (tokenType === undefined) return providerFetch;
  return async (url, options) => {
    const response = await providerFetch(url, options);
    if (url !== tokenEndpoint || !response.ok) return response;
    const answer: unknown = await response.clone().json();
    if (typeof answer !== "object" || answer === null) return response;
    return Response.json({ token_type: tokenType, ...answer }, { status: response.status });
  };
}

async function callApi(
  { name }: Connector,
  config: oauth.Configuration,
  accessToken: string,
  url: string,
): Promise<unknown> {
  const headers = new Headers({ accept: "application/json" });
  const response = await oauth.fetchProtectedResource(
    config,
    accessToken,
    new URL(url),
    "GET",
    undefined,
    headers,
  );
  const { host, pathname } = new URL(url);
  if (response.status === 401 || response.status === 403) {
    throw new ProviderFailure(name, "refused", `${host}${pathname} refuses the access token.`);
  }
  if (response.status !== 200) {
    throw new ProviderFailure(name, "bad_answer", `${host}${pathname} answers ${response.status}.`);
  }
  const text = await response.text();
  try {
    return parseJsonLosslessly(text);
  } catch {
    throw new ProviderFailure(name, "bad_answer", `${host}${pathname} does not answer JSON.`);
  }
}

function toFailure(provider: string, error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  // Errors of the custom fetch come wrapped.
  if (error instanceof Error && error.cause instanceof ProviderFailure) return error.cause;
  if (error instanceof oauth.AuthorizationResponseError) {
    if (error.error === "access_denied")
      return new ProviderFailure(provider, "denied", "the person declined.");
    const busy = error.error === "temporarily_unavailable" || error.error === "server_error";
    const reason = busy ? "provider_error" : "refused";
    return new ProviderFailure(
      provider,
      reason,
      `the authorization was answered with "${nameOAuthError(error.error)}".`,
    );
  }
  if (error instanceof oauth.ResponseBodyError) {
    return new ProviderFailure(
      provider,
      "refused",
      `the token endpoint answers ${error.status} "${nameOAuthError(error.error)}".`,
    );
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return new ProviderFailure(
      provider,
      "refused",
      `the provider answers ${error.status} to our credentials.`,
    );
  }
  return new ProviderFailure(provider, "bad_answer", "the provider's answer does not conform to OAuth 2.0.");
}
