import { timingSafeEqual } from "node:crypto";
import { readAuthenticationTime, readWallClock } from "@hardhat-identity/protocol/chain/clock";
import type { Chain } from "@hardhat-identity/protocol/chain/connect";
import type { SignInEnd } from "@hardhat-identity/protocol/signInEnd";
import {
  type CredentialStore,
  endpoint,
  type Logger,
  leaveTurn,
  type MakeLimiter,
  type Metrics,
  noted,
  type Readiness,
} from "@hardhat-identity/signer/pages";
import type { Request, Response, Router } from "express";
import type { Providers } from "../connectors/registration.ts";
import type { Brand } from "../html/brand.ts";
import { failureReasons } from "../messages.ts";
import { ProviderFailure } from "../providers/failure.ts";
import { proveAccount } from "../providers/oauth.ts";
import { askToContinue } from "./continue.ts";
import { queryOf } from "./pageRequest.ts";
import { callbackUrl } from "./prove.ts";
import type { Kept } from "./sealedCookie.ts";
import {
  clearProofs,
  type EndpointParts,
  type Proof,
  proofLifetimeSeconds,
  randomId,
  readSession,
  readVisitor,
  type Session,
} from "./session.ts";
import { openWayBack, type SealingService, type WayBack } from "./wayBack.ts";

/** Sign-ins a minute that may reach a provider: of a wallet, and of a client at least. */
const signInsPerMinute = { wallet: 5, client: 20 };

/** How many requests a client may make for each sign-in, where that allows more. */
const requestsPerSignIn = 30;

type Started = Extract<Proof, { step: "started" }>;
type Ended = Exclude<Proof, Started>;

/** The part of the service that ends a sign-in at a provider. */
export interface CallbackService extends SealingService {
  readonly config: SealingService["config"] & {
    readonly rateLimit: number;
    readonly walletRateLimit: number;
    readonly brand?: Brand | undefined;
  };
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "signIns">;
  readonly readiness: Pick<Readiness, "requireClock">;
  readonly providers: Providers;
  readonly makeLimiter: MakeLimiter;
  readonly store: Pick<CredentialStore, "spendNonce" | "isSpent">;
  /** Read for the time of a local node. */
  readonly chain: Chain;
  readonly development: boolean;
}

/**
 * `GET /verify/callback/<provider>`: ends the sign-in when the browser comes back from a provider. It stores nothing
 * yet: the page shows the account, and a click stores it.
 */
export function callback(parts: EndpointParts<CallbackService>): Router {
  const { service, cookies } = parts;
  const { verifyUrl, metrics, readiness, providers } = service;
  for (const provider of Object.keys(providers.clients)) {
    for (const outcome of ["proven", ...failureReasons]) metrics.signIns.inc({ provider, outcome }, 0);
  }
  const findWait = limitSignIns(service);
  // A person reloads while a slow provider is asked, and some browsers and providers send the browser here twice: it drops
  // the first answer. The second must be the same. Where it reaches another replica, the page says to start again: no replica
  // stores an account before the person has seen it.
  const endings = new Map<string, Promise<Ended | undefined>>();
  return endpoint("/verify/callback/:provider", "get", async (request, response) => {
    // Browsers discard such an answer to a prefetch.
    if (!isNavigation(request)) return askToContinue(service, request, response.status(403), "title");
    const found = await findStarted(parts, request);
    if (found === undefined) return response.redirect(303, await findWayBack(parts, request));
    // Before anything is spent: the account, and what must not be used twice, are dated by this machine's clock.
    await readiness.requireClock();
    const nonce = nonceOf(found.content.state);
    let ending = endings.get(nonce);
    if (ending === undefined) {
      const wait = findWait(noted(response).client, found.content.wallet);
      if (wait !== undefined) {
        noted(response).code = "rate_limited";
        response.setHeader("Retry-After", String(wait));
        return askToContinue(service, request, response.status(429), "wait");
      }
      ending = endSignIn(service, found.content, request, response).finally(() => endings.delete(nonce));
      endings.set(nonce, ending);
    } else leaveTurn(response);
    const { provider, visit, query } = found.content;
    const ended = await ending;
    if (ended === undefined) return response.redirect(303, pageAt(verifyUrl, "ended=used", query));
    await cookies.proofs.write(response, ended, found.name);
    // A wallet has one account at a provider: the last one.
    await clearProofs(
      cookies,
      request,
      response,
      (other) =>
        (other.step !== "started" && other.provider === provider) ||
        (other.step === "failed" && other.visit === visit),
    );
    response.redirect(303, pageAt(verifyUrl, query));
  });
}

/**
 * Whether a person goes to the address. Browsers fetch or render a page before that (`Sec-Purpose` and its predecessors),
 * and programs look at it with `HEAD`: what can be used once must wait for the person.
 */
function isNavigation({ method, headers }: Request): boolean {
  const purposes = ["sec-purpose", "purpose", "x-purpose", "x-moz"].map((name) => headers[name]);
  const destination = headers["sec-fetch-dest"] ?? "document";
  return (
    method === "GET" && destination === "document" && !/prefetch|prerender|preview/i.test(purposes.join())
  );
}

/**
 * Limits how often a provider is asked for one client and for one wallet: what it allows the app is for everybody.
 *
 * @returns A function that counts a sign-in of a client and a wallet, and returns the seconds to wait if it is too many.
 */
function limitSignIns({
  config: { rateLimit, walletRateLimit },
  makeLimiter,
}: Pick<CallbackService, "config" | "makeLimiter">): (client: string, wallet: string) => number | undefined {
  // Many people may share an address: an operator who raises the limit raises this one, too.
  const signIns = Math.max(signInsPerMinute.client, Math.floor(rateLimit / requestsPerSignIn));
  const ofClient = rateLimit > 0 ? makeLimiter("sign_ins", signIns) : undefined;
  const ofWallet = walletRateLimit > 0 ? makeLimiter("sign_ins", signInsPerMinute.wallet) : undefined;
  return (client, wallet) => {
    const waits = [ofClient?.count(client), ofWallet?.count(wallet)];
    return waits.find((seconds) => seconds !== undefined);
  };
}

/** Finds the sign-in that this browser started at this provider with this state. */
async function findStarted(
  { cookies }: EndpointParts<unknown>,
  request: Request,
): Promise<Kept<Started> | undefined> {
  const { proofs } = await readVisitor(cookies, request);
  const isOurs = (kept: Kept<Proof>): kept is Kept<Started> =>
    kept.content.step === "started" &&
    kept.content.provider === request.params.provider &&
    isEqual(kept.content.state, request.query.state);
  return proofs.find(isOurs);
}

/** Uses up a sign-in, and asks the provider whose account it is. Returns `undefined` if it was used before. */
async function endSignIn(
  service: CallbackService,
  started: Started,
  request: Request,
  response: Response,
): Promise<Ended | undefined> {
  const { store, metrics, logger } = service;
  const expiresAt = readWallClock() + proofLifetimeSeconds;
  if (!(await store.spendNonce(nonceOf(started.state), expiresAt))) return undefined;
  const { provider, session, wallet, visit } = started;
  const bound = { session, wallet, provider, visit, id: randomId() };
  const { requestId } = response.locals;
  // A slow provider must not fill the places of those who ask for something else.
  leaveTurn(response);
  try {
    const proven = await proveStarted(service, started, queryOf(request.url), requestId);
    metrics.signIns.inc({ provider, outcome: "proven" });
    return { ...bound, step: "proven", ...proven };
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    const { reason, message: detail } = error;
    metrics.signIns.inc({ provider, outcome: reason });
    logger.warn({ requestId, provider, reason, detail }, "A sign-in at a provider failed.");
    return { ...bound, step: "failed", reason };
  }
}

/** The random part of the state is enough. */
const nonceOf = (state: string): string => `state:${state.split(".")[0]}`;

/**
 * Returns where a person goes who comes back without an answer to a sign-in of this browser: to the page, which says why,
 * with what the app asked. Some providers report an error without the state: then to the sign-in that is under way there.
 * It goes on, because anybody can send such an error.
 */
async function findWayBack(
  { service, cookies }: EndpointParts<CallbackService>,
  request: Request,
): Promise<string> {
  const { verifyUrl } = service;
  const { state, error, error_code: errorCode } = request.query;
  const session = await readSession(cookies, request);
  const isWithoutState = state === undefined && (error ?? errorCode) !== undefined;
  const proofs = isWithoutState ? await cookies.proofs.readAll(request) : [];
  const underWay = proofs
    .map(({ content }) => content)
    .find((proof) => proof.step === "started" && proof.provider === request.params.provider);
  if (underWay?.step === "started") return pageAt(verifyUrl, underWay.query);
  const way = openWayBack(service, state);
  const ended = await nameEnd(service, String(state), way, session);
  return pageAt(verifyUrl, `ended=${ended}`, way?.query ?? "");
}

/** The page's address with parts of a query, any of which may be empty. */
function pageAt(verifyUrl: string, ...parts: string[]): string {
  const query = parts.filter((part) => part !== "").join("&");
  return query === "" ? verifyUrl : `${verifyUrl}?${query}`;
}

/** Says why a sign-in cannot be finished here. */
async function nameEnd(
  { store }: CallbackService,
  state: string,
  way: WayBack | undefined,
  session: Session | undefined,
): Promise<SignInEnd> {
  if (way === undefined) return "unknown";
  if (await store.isSpent(nonceOf(state))) return "used";
  if (way.startedAt + proofLifetimeSeconds < readWallClock()) return "late";
  if (session === undefined) return "elsewhere";
  return session.id.startsWith(way.session) ? "dropped" : "changed";
}

async function proveStarted(
  { verifyUrl, providers, development, chain, logger }: CallbackService,
  { provider, state, codeVerifier }: Started,
  query: string,
  requestId: string,
) {
  const connector = providers.connectors[provider];
  const client = providers.clients[provider];
  if (client === undefined) throw new ProviderFailure(provider, "not_set_up", "it is no longer set up.");
  const url = new URL(callbackUrl(verifyUrl, provider));
  url.search = query;
  const onNotRevoked = ({ message: detail }: ProviderFailure) =>
    logger.info({ requestId, provider, detail }, "A provider did not revoke its token.");
  const started = { state, codeVerifier, callbackUrl: url };
  const account = await proveAccount({ connector, client, ...started, onNotRevoked });
  const authenticatedAt = await readAuthenticationTime(development ? chain.open() : undefined);
  return { ...account, authenticatedAt };
}

function isEqual(ours: string, theirs: unknown): boolean {
  if (typeof theirs !== "string" || theirs.length !== ours.length) return false;
  const [left, right] = [Buffer.from(ours), Buffer.from(theirs)];
  return left.length === right.length && timingSafeEqual(left, right);
}
