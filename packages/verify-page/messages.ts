import { hasValidCasing, isAddress } from "@hardhat-identity/protocol/address";
import { type Language, languages } from "@hardhat-identity/protocol/languages";
import { z } from "zod";

// The JSON messages between the verify page and the service, at `<page>/<name of the endpoint>`. Errors are problems, as
// everywhere; see errors.ts. A request may have unknown members, an answer has none.

/** Why a user returns to an app without a proven account: `error` in the return address. */
export const returnErrors = [
  "cancelled",
  "no_wallet",
  "signature_rejected",
  "access_denied",
  "provider_unavailable",
] as const;
export type ReturnError = (typeof returnErrors)[number];

/**
 * Why proving an account failed. The person declined (`denied`) or left out a permission (`partly_denied`); the provider
 * timed out (`timeout`), could not be reached (`unreachable`), failed (`provider_error`), limited our rate
 * (`rate_limited`), or counts no more requests of ours for now (`quota_exceeded`). It took the sign-in for over
 * (`expired`), keeps the account back (`account_blocked`), does not serve this service as its operator set it up
 * (`not_set_up`), or refused for a reason that we do not know (`refused`). Its answer lacked what was asked for
 * (`incomplete`), or is not one that the connector expects (`bad_answer`).
 */
export const failureReasons = [
  "denied",
  "partly_denied",
  "timeout",
  "unreachable",
  "provider_error",
  "rate_limited",
  "quota_exceeded",
  "expired",
  "account_blocked",
  "not_set_up",
  "refused",
  "incomplete",
  "bad_answer",
] as const;
export type FailureReason = (typeof failureReasons)[number];

const address = z.string().refine((text) => isAddress(text) && hasValidCasing(text), "must be an address");

/** The return address of an app. */
export const returnAddress = z.strictObject({
  /** The page returns to a `trusted` address at once, to others on a click, showing the full address. */
  kind: z.enum(["trusted", "ask"]),
  origin: z.url(),
  /** The app's name, where the operator has given it one. */
  name: z.string().optional(),
  url: z.url(),
  /** The address to return to after success. */
  success: z.url(),
  /** The addresses to return to without success. */
  errors: z.record(z.enum(returnErrors), z.url()),
});
export type ReturnAddress = z.infer<typeof returnAddress>;

/** An account at a provider, as the provider described it. */
export const account = z.strictObject({
  provider: z.string(),
  /** The provider's name on the page. */
  label: z.string(),
  traits: z.record(z.string(), z.string()),
  /** Unix seconds. */
  authenticatedAt: z.int(),
});
export type Account = z.infer<typeof account>;

/** How a sign-in at a provider ended. */
export const proof = z.discriminatedUnion("step", [
  account.extend({
    /** Identifies it in the page's requests. */
    id: z.string(),
    /** Not stored yet. */
    step: z.literal("proven"),
    /** The account's public name, if the provider has one. It is never stored. */
    accountName: z.string().optional(),
    /** Whether it would replace another account of the wallet. */
    replaces: z.boolean(),
    /** Names of traits that are stored for the wallet now, and that the provider did not tell this time. */
    dropped: z.array(z.string()),
  }),
  account.pick({ provider: true, label: true }).extend({
    id: z.string(),
    step: z.literal("failed"),
    reason: z.enum(failureReasons),
  }),
  // The user was sent to the provider and is here again without its answer.
  account.pick({ provider: true, label: true }).extend({ step: z.literal("started") }),
]);
export type Proof = z.infer<typeof proof>;

/** `GET overview?<the page's query>`: all data of the page. */
export const overview = z.strictObject({
  /** The page's own address. */
  pageUrl: z.url(),
  chainId: z.int(),
  /** The operator's privacy notice; missing where they have set none. */
  privacyUrl: z.url().optional(),
  /** The providers that are set up, and whether the app asks for each. */
  providers: z.array(z.strictObject({ name: z.string(), label: z.string(), asked: z.boolean() })),
  /** Missing when no app sent the person. */
  returnTo: returnAddress.optional(),
  /** The wallet that the app asks for; missing when it names none. */
  askedWallet: address.optional(),
  /** Unix seconds since which the app wants the account to have been proven; 0 for whenever it was. */
  since: z.int(),
  /** Missing while no wallet has signed in. */
  wallet: address.optional(),
  /** The wallet's stored accounts. */
  accounts: z.array(account).optional(),
  proof: proof.optional(),
  /** On a local node: its endpoint, whose accounts the page offers as wallets. */
  development: z.strictObject({ rpcUrl: z.url() }).optional(),
});
export type Overview = z.infer<typeof overview>;

/** `POST message`: asks for the message that a wallet has to sign. */
export const messageRequest = z.object({ wallet: address });
export type MessageRequest = z.infer<typeof messageRequest>;

/**
 * The answer to `POST message`. The service accepts a signature only from the browser that has the message's cookie.
 * `keepsCookies` is false if the browser sent no cookie, as in its first request.
 */
export const messageAnswer = z.strictObject({ message: z.string(), keepsCookies: z.boolean() });
export type MessageAnswer = z.infer<typeof messageAnswer>;

// All that a click does carries the wallet that the person saw. Another tab may have gone on meanwhile: then this request
// does nothing, and the answer is `stale_page`. An earlier request, whose answer was lost, may have done something.

/** `POST sign-out`: forgets the wallet. */
export const signOutRequest = z.object({ wallet: address });
export type SignOutRequest = z.infer<typeof signOutRequest>;

/** `POST link`: the wallet's signature over its message; `0x` of a contract that has signed on chain. */
export const linkRequest = z.object({
  wallet: address,
  signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/),
});
export type LinkRequest = z.infer<typeof linkRequest>;

/**
 * `POST prove`: asks for the way to a provider; `query` is the page's own, to come back to. The provider is asked to show
 * its pages in `language`.
 */
export const proveRequest = z.object({
  wallet: address,
  provider: z.string(),
  query: z.string().max(8_000),
  language: z.enum(Object.keys(languages) as [Language]).optional(),
});
export type ProveRequest = z.infer<typeof proveRequest>;

/** The answer to `POST prove`: the URL to send the browser to. */
export const proveAnswer = z.strictObject({ location: z.url() });
export type ProveAnswer = z.infer<typeof proveAnswer>;

/** `POST keep` and `POST discard`: the proof to store, or to forget, by its id. */
export const proofRequest = z.object({ wallet: address, proof: z.string() });
export type ProofRequest = z.infer<typeof proofRequest>;

/** The answer to `POST discard`: whether an earlier `POST keep` has stored the account. */
export const discardAnswer = z.strictObject({ stored: z.boolean() });
export type DiscardAnswer = z.infer<typeof discardAnswer>;

/** `POST erase`: the provider whose account is to be erased. */
export const eraseRequest = z.object({ wallet: address, provider: z.string() });
export type EraseRequest = z.infer<typeof eraseRequest>;
