import { createHmac, randomBytes } from "node:crypto";
import type { Request } from "express";
import { z } from "zod";
import { checksumAddress } from "../../../protocol/address.ts";
import type { ProviderName } from "../../../protocol/catalogue.ts";
import { failureReasons, type ProofRequest } from "../../../protocol/verifyPage.ts";
import { connectors } from "../../providers/connectors.ts";
import type { Service } from "../service/service.ts";
import { ServiceError } from "../service/serviceError.ts";
import { linkLifetime } from "./linkMessage.ts";
import { type SealedCookie, sealedCookie } from "./sealedCookie.ts";

const provider = z.enum(Object.keys(connectors) as [ProviderName, ...ProviderName[]]);

const challenge = z.object({
  /** The wallet that has been asked to sign, checksummed. */
  wallet: z.string(),
  /** Of the message; can be used once. */
  nonce: z.string(),
  issuedAt: z.iso.datetime(),
});
/** A message that waits for a wallet's signature. */
export type Challenge = z.infer<typeof challenge>;

const session = z.object({
  /** What is proven is bound to it; new with every wallet that signs in. */
  id: z.string(),
  /** The wallet that has signed in, checksummed. */
  wallet: z.string(),
});
/** That a wallet has signed in with this browser. */
export type Session = z.infer<typeof session>;

const bound = { session: z.string(), wallet: z.string(), provider };
const proof = z.discriminatedUnion("step", [
  z.object({
    ...bound,
    step: z.literal("started"),
    /** OAuth 2.0 state; can be used once. */
    state: z.string(),
    codeVerifier: z.string(),
    /** Query of the page, for the way back. */
    query: z.string(),
  }),
  z.object({
    ...bound,
    step: z.literal("proven"),
    /** What the page calls it by; can be stored once. */
    id: z.string(),
    accountId: z.string(),
    traits: z.record(z.string(), z.string()),
    authenticatedAt: z.number(),
  }),
  z.object({ ...bound, step: z.literal("failed"), id: z.string(), reason: z.enum(failureReasons) }),
]);
/** How far a browser is with proving an account. */
export type Proof = z.infer<typeof proof>;
/** A proof that the page shows. */
type EndedProof = Exclude<Proof, { step: "started" }>;

export interface Cookies {
  readonly challenge: SealedCookie<Challenge>;
  readonly session: SealedCookie<Session>;
  readonly proof: SealedCookie<Proof>;
}

/** What each step of a visit works with. */
export interface VisitParts {
  readonly cookies: Cookies;
  /** The page's address. */
  readonly verifyUrl: string;
}

/** Seconds that a person stays signed in. */
const sessionLifetime = 30 * 60;
/** Seconds from the start at a provider to the click that stores the account. */
export const proofLifetime = 15 * 60;

export function createCookies(
  parts: Pick<Service, "sessionKey" | "verifyUrl" | "store"> & { chainId: number; registry: string },
): Cookies {
  const { sessionKey, verifyUrl, chainId, registry, store } = parts;
  const secure = verifyUrl.startsWith("https:");
  // Services for other chains, registries or pages may have the same master secret: what one sealed opens at no other.
  const place = [chainId, registry, verifyUrl];
  const cookie = <Content extends Record<string, unknown>>(
    name: string,
    content: z.ZodType<Content>,
    lifetime: number,
  ) => {
    /** Another one once sessions were ended, at whichever replica: what was sealed before does not open any more. */
    async function readKey(): Promise<Uint8Array> {
      const epoch = await store.sessionEpoch();
      const bound = [name, ...place, ...(epoch === "" ? [] : [epoch])];
      return createHmac("sha256", sessionKey).update(JSON.stringify(bound)).digest();
    }
    return sealedCookie({ name, content, readKey, secure, lifetime });
  };
  return {
    challenge: cookie("identity-challenge", challenge, linkLifetime),
    session: cookie("identity-session", session, sessionLifetime),
    proof: cookie("identity-proof", proof, proofLifetime),
  };
}

/**
 * The session of a browser whose wallet has signed in.
 *
 * @param shown The wallet that the page showed to the person who asks.
 * @throws ServiceError `not_signed_in`, or `stale_page` when another wallet has signed in since.
 */
export async function requireWallet(cookies: Cookies, request: Request, shown: string): Promise<Session> {
  const session = await cookies.session.read(request);
  if (session === undefined) {
    throw new ServiceError("not_signed_in", "No wallet has signed in, or too long ago; sign in again.");
  }
  demandShown(session, shown);
  return session;
}

/**
 * The proof that the page showed: an account that was proven, or a sign-in that failed.
 *
 * @throws ServiceError `not_signed_in`, or `stale_page` when another wallet or proof has come since.
 */
export async function requireShownProof(
  cookies: Cookies,
  request: Request,
  shown: ProofRequest,
): Promise<EndedProof> {
  const session = await requireWallet(cookies, request, shown.wallet);
  const found = await cookies.proof.read(request);
  if (
    found === undefined ||
    found.step === "started" ||
    found.id !== shown.proof ||
    !isOfSession(found, session)
  ) {
    throw new ServiceError("stale_page", "What the page showed of a sign-in at a provider waits no more.");
  }
  return found;
}

/** @throws ServiceError `stale_page` when the page showed another wallet than the one that it is about by now. */
export function demandShown({ wallet }: { wallet: string }, shown: string): void {
  if (wallet === checksumAddress(shown)) return;
  throw new ServiceError("stale_page", "The page showed another wallet than the one it is about by now.");
}

/** Whether it was begun in this session, for the wallet that is signed in now. */
export function isOfSession(proof: Proof, session: Session | undefined): boolean {
  return session?.id === proof.session && session.wallet === proof.wallet;
}

/** 128 random bits, hex. */
export const randomId = (): string => randomBytes(16).toString("hex");
