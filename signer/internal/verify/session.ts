import { randomBytes } from "node:crypto";
import type { Request } from "express";
import { z } from "zod";
import type { ProviderName } from "../../../protocol/catalogue.ts";
import { failureReasons } from "../../../protocol/verifyPage.ts";
import { connectors } from "../../providers/connectors.ts";
import type { Service } from "../service.ts";
import { ServiceError } from "../serviceError.ts";
import { type SealedCookie, sealedCookie } from "./sealedCookie.ts";

const provider = z.enum(Object.keys(connectors) as [ProviderName, ...ProviderName[]]);

const session = z.object({
  /** Binds everything else of this browser to it; new with every wallet. */
  id: z.string(),
  /** The wallet that has signed in, checksummed. */
  wallet: z.string().optional(),
  /** The message that a wallet has been asked to sign. */
  challenge: z.object({ wallet: z.string(), nonce: z.string(), issuedAt: z.iso.datetime() }).optional(),
});
/** What the service knows of a browser. */
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
    /** Can be stored once. */
    nonce: z.string(),
    accountId: z.string(),
    traits: z.record(z.string(), z.string()),
    authenticatedAt: z.number(),
  }),
  z.object({ ...bound, step: z.literal("failed"), reason: z.enum(failureReasons) }),
]);
/** How far a browser is with proving an account. */
export type Proof = z.infer<typeof proof>;

export interface Cookies {
  readonly session: SealedCookie<Session>;
  readonly proof: SealedCookie<Proof>;
}

/** Seconds that a person stays signed in. */
const sessionLifetime = 30 * 60;
/** Seconds from the start at a provider to the click that stores the account. */
export const proofLifetime = 15 * 60;

export function createCookies({ sessionKey: key, verifyUrl }: Service): Cookies {
  const secure = verifyUrl.startsWith("https:");
  return {
    session: sealedCookie({
      name: "identity-session",
      content: session,
      key,
      secure,
      lifetime: sessionLifetime,
    }),
    proof: sealedCookie({ name: "identity-proof", content: proof, key, secure, lifetime: proofLifetime }),
  };
}

/** The session of a browser whose wallet has signed in. */
export async function requireWallet(
  cookies: Cookies,
  request: Request,
): Promise<Session & { wallet: string }> {
  const found = await cookies.session.read(request);
  if (found?.wallet === undefined) {
    throw new ServiceError("not_signed_in", "No wallet has signed in, or too long ago; sign in again.");
  }
  return { ...found, wallet: found.wallet };
}

/** Whether it was begun in this session, for the wallet that is signed in now. */
export function isOfSession(proof: Proof, session: Session | undefined): boolean {
  return session?.id === proof.session && session.wallet === proof.wallet;
}

/** 128 random bits, hex. */
export const randomId = (): string => randomBytes(16).toString("hex");
