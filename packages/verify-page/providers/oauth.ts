import { createHash, randomBytes } from "node:crypto";
import { isObject, parseJsonLosslessly } from "@hardhat-identity/protocol/json";
import type { Connector } from "../connectors/connector.ts";
import { endpointUrl, type ProviderClient } from "../connectors/registration.ts";
import type { FailureReason } from "../messages.ts";
import { findChallengeCode, findErrorCode, reasonOfCode } from "./errorCodes.ts";
import { ProviderFailure } from "./failure.ts";
import { fetchProvider } from "./fetchProvider.ts";
import { find } from "./find.ts";
import { type ProvenAccount, parseAccount } from "./parseAccount.ts";

// OAuth 2.0 (RFC 6749) as far as a sign-in needs it. Everything else in an answer is ignored: providers add parameters
// and members of their own, and leave out some that the RFC requires.

/** @param answer.code The code by which the provider named an error. */
type OnAnswer = (answer: { place: string; status: number; code: string | undefined }) => void;

/** A provider, and the operator's client there. */
interface Side {
  readonly connector: Connector;
  readonly client: ProviderClient;
  /** Ends what takes too long. */
  readonly signal: AbortSignal;
  /** Called with each answer of the provider, without the account's values. */
  readonly onAnswer?: OnAnswer | undefined;
}

/**
 * Seconds for all that a provider is asked before a sign-in ends. A service that stops waits for ten. The proxies wait
 * for fifteen, as the node may take four more and the store two.
 */
export const timeLimitSeconds = 8;

/**
 * Starts a sign-in at a provider: OAuth 2.0 authorization code with PKCE.
 *
 * @param input.stateTail The end of the `state`, after its random part and a dot, in base64url characters.
 * @param input.uiLocales Languages for the provider's pages, as OpenID Connect's `ui_locales`. OAuth servers ignore
 * parameters that they do not know (RFC 6749, section 3.1).
 * @returns The URL to send the browser to; and what {@link proveAccount} needs: the state, and the verifier of PKCE
 * (RFC 7636), without which a code is useless.
 */
export function startAuthorization(input: {
  connector: Connector;
  client: ProviderClient;
  redirectUri: string;
  stateTail?: string;
  uiLocales?: string | undefined;
}) {
  const { connector, client, redirectUri, stateTail, uiLocales } = input;
  const { scopes, scopeSeparator = " ", clientIdParameter = "client_id" } = connector;
  const state = stateTail === undefined ? randomText() : `${randomText()}.${stateTail}`;
  const codeVerifier = randomText();
  const parameters = {
    ...connector.authorizationParameters,
    response_type: "code",
    client_id: client.clientId,
    [clientIdParameter]: client.clientId,
    redirect_uri: redirectUri,
    ...(scopes.length > 0 && { scope: scopes.join(scopeSeparator) }),
    state,
    ...challengeOf(connector, codeVerifier),
    ...(uiLocales && { ui_locales: uiLocales }),
  };
  const url = new URL(endpointUrl(connector.authorizationEndpoint, client));
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, state, codeVerifier };
}

/**
 * Ends a sign-in: exchanges the code for an access token, reads the account with the token, and forgets the token.
 *
 * @param input.callbackUrl The redirect URI with the query that the browser came back with.
 * @param input.timeoutSeconds {@link timeLimitSeconds} if left out.
 * @param input.onAnswer Called with each answer of the provider, without what it says of the account.
 * @param input.onScopes Called with the granted scopes, if the provider lists them.
 * @param input.onNotRevoked Called if the provider did not revoke the token. Nothing waits for it.
 * @throws ProviderFailure
 */
export async function proveAccount(input: {
  connector: Connector;
  client: ProviderClient;
  callbackUrl: URL;
  state: string;
  codeVerifier: string;
  timeoutSeconds?: number;
  onAnswer?: OnAnswer;
  onScopes?: (scopes: string | undefined) => void;
  onNotRevoked?: (failure: ProviderFailure) => void;
}): Promise<ProvenAccount> {
  const { connector, client, timeoutSeconds = timeLimitSeconds, onNotRevoked } = input;
  const startLimit = () => AbortSignal.timeout(timeoutSeconds * 1000);
  const code = readCallback(input);
  const side = { ...input, signal: startLimit() };
  const { accessToken, scopes } = await exchangeCode(side, code);
  input.onScopes?.(scopes);
  try {
    requireScopes(connector, scopes);
    const answers = await Promise.all(
      Object.entries(connector.calls).map(async ([name, endpoint]) => {
        const headers = { authorization: `Bearer ${accessToken}` };
        return [
          name,
          await askProvider(side, endpointUrl(endpoint, client), { method: "GET", headers }),
        ] as const;
      }),
    );
    return parseAccount(connector, Object.fromEntries(answers));
  } finally {
    revoke({ ...side, signal: startLimit() }, accessToken).catch((failure) => onNotRevoked?.(failure));
  }
}

/** Returns the code of a callback. */
function readCallback({ connector, client, callbackUrl, state }: Parameters<typeof proveAccount>[0]): string {
  const { searchParams: parameters } = callbackUrl;
  const fail = (reason: FailureReason, detail: string) =>
    new ProviderFailure(connector.name, reason, `the callback ${detail}.`);
  // Meta's dialogs say some errors of the app's in `error_code` alone.
  const error = parameters.get("error") || parameters.get("error_code");
  if (error) {
    const reason = reasonOfCode(connector, error, true);
    // Anybody may have written an unknown one.
    throw fail(reason ?? "refused", `has the error "${reason ? error : "other"}"`);
  }
  const [stated, another] = parameters.getAll("state");
  if (stated !== state || another !== undefined) throw fail("bad_answer", "is not to this sign-in");
  const issuer = client.baseUrl === undefined ? connector.issuer : undefined;
  if (issuer !== undefined && (parameters.get("iss") ?? issuer) !== issuer) {
    throw fail("bad_answer", "is from another issuer than the connector's");
  }
  const [code, second] = parameters.getAll("code");
  if (!code) throw fail("bad_answer", "has neither a code nor an error");
  if (second !== undefined) throw fail("bad_answer", "has two codes");
  return code;
}

/** Exchanges a code for an access token. `scopes` are those that were granted, if the provider lists them. */
async function exchangeCode(
  input: Side & { callbackUrl: URL; codeVerifier: string },
  code: string,
): Promise<{ accessToken: string; scopes: string | undefined }> {
  const { connector, client, callbackUrl, codeVerifier } = input;
  const redirectUri = new URL(callbackUrl);
  redirectUri.search = "";
  const url = endpointUrl(connector.tokenEndpoint, client);
  const answer = await askProvider(
    input,
    url,
    authenticated(input, {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri.href,
      ...(connector.codeChallenge !== "none" && { code_verifier: codeVerifier }),
    }),
  );
  const accessToken = find(answer, ["access_token"]);
  // The type is not judged: providers leave it out, and call bearer tokens by words of their own.
  if (typeof accessToken !== "string" || !isToken(accessToken)) {
    throw new ProviderFailure(connector.name, "bad_answer", `${placeOf(url)} answers no access token.`);
  }
  const granted = find(answer, [connector.grantedScopes ?? "scope"]);
  const isList = Array.isArray(granted) && granted.every((scope) => typeof scope === "string");
  const scopes = isList ? granted.join(" ") : granted;
  return { accessToken, scopes: typeof scopes === "string" ? scopes : undefined };
}

// RFC 6749, appendix A.12. A header takes no others.
const isToken = (text: string): boolean => /^[\x20-\x7e]+$/.test(text);

/** Refuses a token without all scopes that were asked for. A provider that lists none has granted all (RFC 6749, 5.1). */
function requireScopes({ name, scopes }: Connector, granted: string | undefined): void {
  if (granted === undefined) return;
  const parts = (text: string) => text.split(/[\s,]+/);
  const missing = scopes.filter((scope) => !parts(scope).every((part) => parts(granted).includes(part)));
  if (missing.length === 0) return;
  throw new ProviderFailure(name, "partly_denied", `the token lacks the scope ${missing.join(", ")}.`);
}

/** Asks the provider to end an access token, if it can. */
async function revoke(side: Side, token: string): Promise<void> {
  const { connector, client } = side;
  if (connector.revocationEndpoint === undefined) return;
  const url = endpointUrl(connector.revocationEndpoint, client);
  const said = await request(side, url, authenticated(side, { token }));
  if (said.status !== 200 || said.code !== undefined) throw failureOf(connector, said);
}

/** A request of the client's own: a form, with the client's credentials. */
function authenticated({ connector, client }: Side, form: Readonly<Record<string, string>>) {
  const { clientId, clientSecret } = client;
  const { clientAuthentication, clientIdParameter } = connector;
  const body = new URLSearchParams(form);
  if (clientAuthentication === "client_secret_post") {
    body.set("client_id", clientId);
    body.set("client_secret", clientSecret);
  }
  if (clientIdParameter !== undefined) body.set(clientIdParameter, clientId);
  // RFC 6749 has both parts encoded, and some servers do not decode them. So what may stay as it is does.
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(":");
  const headers: Record<string, string> =
    clientAuthentication === "client_secret_basic"
      ? { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }
      : {};
  return { method: "POST", headers, body } as const;
}

type Request = Parameters<typeof fetchProvider>[2];

type Said = Awaited<ReturnType<typeof request>>;

/** Returns what a provider says: the answer, parsed losslessly, if it is JSON; and the code, if it names an error. */
async function request({ connector, client, signal, onAnswer }: Side, url: string, what: Request) {
  const { status, isLimited, text, challenge } = await fetchProvider(connector.name, url, what, signal);
  const whole = parse(text);
  const inside = connector.envelope && find(whole, connector.envelope);
  const named = findErrorCode(connector, whole) ?? findChallengeCode(status, challenge);
  const code = named && isOfRequest(client, what, named) ? "other" : named;
  const place = placeOf(url);
  onAnswer?.({ place, status, code });
  const answer = isObject(inside) ? inside : whole;
  return { place, isOAuth: what.method === "POST", status, isLimited, answer, code };
}

/** Whether a code repeats a part of what we sent, such as the secret, which must reach no log. */
function isOfRequest({ clientSecret }: ProviderClient, { headers, body }: Request, code: string): boolean {
  return code.length > 7 && [clientSecret, headers.authorization, body].join(" ").includes(code);
}

/** Asks an endpoint for a JSON object. */
async function askProvider(side: Side, url: string, what: Request): Promise<Record<string, unknown>> {
  const said = await request(side, url, what);
  const { status, answer, code } = said;
  if (status < 200 || status >= 300 || code !== undefined || !isObject(answer)) {
    throw failureOf(side.connector, said);
  }
  return answer;
}

function parse(text: string): unknown {
  try {
    return parseJsonLosslessly(text);
  } catch {
    return undefined;
  }
}

function failureOf(connector: Connector, said: Said): ProviderFailure {
  const { place, isOAuth, isLimited, status, answer, code } = said;
  const named = code && reasonOfCode(connector, code, isOAuth);
  const reason = isLimited && !isLasting(named) ? "rate_limited" : named || judgeStatus(said);
  const form = isObject(answer) ? "" : " without a JSON object";
  const what = code === undefined ? form : ` "${code}"`;
  return new ProviderFailure(connector.name, reason, `${place} answers ${status}${what}.`);
}

/** Whether a code's reason is one that no waiting mends. */
const isLasting = (reason: FailureReason | "" | undefined): boolean =>
  reason === "quota_exceeded" || reason === "account_blocked" || reason === "not_set_up";

/** Judges an error whose code says nothing to us. */
function judgeStatus({ status, isOAuth, code, answer }: Said): FailureReason {
  // Among them: request timeout and too early.
  if (status >= 500 || status === 408 || status === 425) return "provider_error";
  // A page in place of JSON comes from what stands before the provider, such as a firewall.
  if (status === 403 && !isObject(answer)) return "provider_error";
  // Payment required.
  if (status === 402) return "not_set_up";
  if (status === 401 || status === 403) return "refused";
  if (code === undefined) return "bad_answer";
  // An error beside the data, or in its place.
  return status < 300 && !isOAuth ? "incomplete" : "refused";
}

const placeOf = (url: string): string => {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
};

/** 256 random bits, base64url. */
const randomText = (): string => randomBytes(32).toString("base64url");

function challengeOf({ codeChallenge = "base64url" }: Connector, codeVerifier: string) {
  if (codeChallenge === "none") return {};
  const challenge = createHash("sha256").update(codeVerifier).digest(codeChallenge);
  return { code_challenge: challenge, code_challenge_method: "S256" };
}
