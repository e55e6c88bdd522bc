import { createHash, createHmac, randomBytes } from "node:crypto";
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { catalogue, type ProviderName } from "@hardhat-identity/protocol/catalogue";
import { type CredentialStore, ServiceError } from "@hardhat-identity/signer/pages";
import type { Request, Response } from "express";
import { z } from "zod";
import { failureReasons, type ProofRequest } from "../messages.ts";
import { type Kept, sealedCookies } from "./sealedCookie.ts";

const provider = z.enum([...catalogue.keys()] as [ProviderName, ...ProviderName[]]);

const challenge = z.object({
  /** The wallet that was asked to sign, checksummed. */
  wallet: z.string(),
  /** The nonce of the message; can be used once. */
  nonce: z.string(),
  issuedAt: z.iso.datetime(),
});
/** A message that waits for a wallet's signature. */
export type Challenge = z.infer<typeof challenge>;

const session = z.object({
  /** Binds proofs to the session. New with every sign-in of a wallet. */
  id: z.string(),
  /** The wallet that signed in, checksummed. */
  wallet: z.string(),
});
/** The sign-in of a wallet with a browser. */
export type Session = z.infer<typeof session>;

const bound = {
  session: z.string(),
  wallet: z.string(),
  provider,
  /** Tells the visit from another app's; see {@link nameVisit}. */
  visit: z.string(),
};
const proof = z.discriminatedUnion("step", [
  z.object({
    ...bound,
    step: z.literal("started"),
    /** The OAuth 2.0 `state`; can be used once. */
    state: z.string(),
    codeVerifier: z.string(),
    /** The page's query, for the return from the provider. */
    query: z.string(),
  }),
  z.object({
    ...bound,
    step: z.literal("proven"),
    /** Identifies the proof for the page; can be stored once. */
    id: z.string(),
    accountId: z.string(),
    /** For the page alone. */
    accountName: z.string().optional(),
    traits: z.record(z.string(), z.string()),
    authenticatedAt: z.number(),
  }),
  z.object({
    ...bound,
    step: z.literal("failed"),
    id: z.string(),
    reason: z.enum(failureReasons),
  }),
]);
/** The state of one attempt at proving an account. */
export type Proof = z.infer<typeof proof>;

export type Cookies = ReturnType<typeof createCookies>;

/** The part of the service that an endpoint of the verify page needs, and the cookies that all of them share. */
export interface EndpointParts<Needs> {
  readonly service: Needs;
  readonly cookies: Cookies;
}

/** The key that seals the cookies, and the values that they are bound to. */
export interface CookieService {
  readonly config: { readonly chainId: number; readonly registry: string };
  readonly sessionKey: Uint8Array;
  readonly verifyUrl: string;
  readonly store: Pick<CredentialStore, "sessionEpoch">;
}

/** Seconds for which a message that a wallet has to sign is valid. */
export const linkLifetimeSeconds = 600;
/** Seconds for which a person stays signed in. */
const sessionLifetimeSeconds = 30 * 60;
/** Seconds from the start at a provider to the click that stores the account. */
export const proofLifetimeSeconds = 15 * 60;

export function createCookies({ config, sessionKey, verifyUrl, store }: CookieService) {
  const { chainId, registry } = config;
  const secure = verifyUrl.startsWith("https:");
  // Services for other chains, registries or pages may share the master secret. They must not open each other's
  // cookies.
  const place = [chainId, registry, verifyUrl];
  const epochs = new WeakMap<Request, Promise<string>>();
  /** Reads the store once for a request, however many cookies it has and gets. */
  function readEpoch(request: Request): Promise<string> {
    const epoch = epochs.get(request) ?? store.sessionEpoch();
    epochs.set(request, epoch);
    return epoch;
  }
  const cookies = <Content extends Record<string, unknown>>(
    name: string,
    schema: z.ZodType<Content>,
    limits: { readonly lifetime: number; readonly maxBytes: number; readonly atMost: number },
  ) => {
    /** Returns the current key. It changes when any replica ends all sessions, so that older cookies no longer open. */
    async function readKey(request: Request): Promise<Uint8Array> {
      const epoch = await readEpoch(request);
      const bound = [name, ...place, ...(epoch === "" ? [] : [epoch])];
      return createHmac("sha256", sessionKey).update(JSON.stringify(bound)).digest();
    }
    return sealedCookies({ name, schema, readKey, secure, ...limits });
  };
  // Proxies take 8 kB of cookies, and other services on the host have some, too.
  return {
    // Four fit. Each costs a contract wallet's signature a call of the node.
    challenges: cookies("identity-challenge", challenge, {
      lifetime: linkLifetimeSeconds,
      maxBytes: 1_500,
      atMost: 5,
    }),
    session: cookies("identity-session", session, {
      lifetime: sessionLifetimeSeconds,
      maxBytes: Number.POSITIVE_INFINITY,
      atMost: 2,
    }),
    // Twelve of the shortest fit.
    proofs: cookies("identity-proof", proof, {
      lifetime: proofLifetimeSeconds,
      maxBytes: 5_500,
      atMost: 16,
    }),
  };
}

export async function readSession(cookies: Cookies, request: Request): Promise<Session | undefined> {
  return (await cookies.session.readAll(request))[0]?.content;
}

/**
 * Returns the session of a browser whose wallet has signed in.
 *
 * @param shown The wallet that the page showed to the person.
 * @throws ServiceError `not_signed_in`, or `stale_page` when another wallet has signed in since.
 */
export async function requireWallet(cookies: Cookies, request: Request, shown: string): Promise<Session> {
  const session = await readSession(cookies, request);
  if (session === undefined) {
    throw new ServiceError(
      "not_signed_in",
      "No wallet has signed in, or its session has expired; sign in again.",
    );
  }
  requireShown(session, shown);
  return session;
}

/**
 * Returns the proof that the page showed: a proven account, or a failed sign-in.
 *
 * @throws ServiceError `not_signed_in`, or `stale_page` when the wallet or the proof has changed since.
 */
export async function requireShownProof(
  cookies: Cookies,
  request: Request,
  shown: ProofRequest,
): Promise<Kept<Proof>> {
  const session = await requireWallet(cookies, request, shown.wallet);
  const found = (await cookies.proofs.readAll(request)).find(
    ({ content }) =>
      content.step !== "started" && content.id === shown.proof && isOfSession(content, session),
  );
  if (found === undefined) {
    throw new ServiceError(
      "stale_page",
      "The sign-in at a provider that the page showed is no longer pending.",
    );
  }
  return found;
}

/** @throws ServiceError `stale_page` when the page showed another wallet than the current one. */
export function requireShown({ wallet }: { wallet: string }, shown: string): void {
  if (wallet === checksumAddress(shown)) return;
  throw new ServiceError("stale_page", "The page showed another wallet than the current one.");
}

/** Reads a browser's session, and its attempts that were started in this session, for the wallet that is signed in now. */
export async function readVisitor(
  cookies: Cookies,
  request: Request,
): Promise<{ session: Session | undefined; proofs: Kept<Proof>[] }> {
  const [session, proofs] = await Promise.all([
    readSession(cookies, request),
    cookies.proofs.readAll(request),
  ]);
  return { session, proofs: proofs.filter(({ content }) => isOfSession(content, session)) };
}

/** Whether a proof was started in this session, for the wallet that is signed in now. */
function isOfSession(proof: Proof, session: Session | undefined): boolean {
  return session?.id === proof.session && session.wallet === proof.wallet;
}

/** Forgets those of a browser's attempts that are chosen. */
export async function clearProofs(
  { proofs }: Cookies,
  request: Request,
  response: Response,
  chooses: (proof: Proof) => boolean,
): Promise<void> {
  for (const kept of await proofs.readAll(request)) if (chooses(kept.content)) proofs.clear(response, kept);
}

/** A short name for a visit: the page's query is long, and cookies are short. */
export const nameVisit = (query: string): string =>
  createHash("sha256").update(query).digest("base64url").slice(0, 16);

/** 128 random bits, hex. */
export const randomId = (): string => randomBytes(16).toString("hex");
