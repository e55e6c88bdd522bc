import { checksumAddress, hasValidCasing, isAddress } from "@hardhat-identity/protocol/address";
import { catalogue, type ProviderName } from "@hardhat-identity/protocol/catalogue";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { maxPageQueryLength } from "@hardhat-identity/protocol/returnAddress";
import { ServiceError } from "@hardhat-identity/signer/pages";
import type { Providers } from "../connectors/registration.ts";
import type { ReturnAddress } from "../messages.ts";
import { type RedirectRules, readReturnAddress } from "./redirect.ts";

/** The parameters of an app in the verify page's query that the service reads. `ui_locales` is for the page alone. */
export interface PageRequest {
  /** The providers that the app names, or all that the service offers. */
  readonly providers: readonly ProviderName[];
  /** The wallet that the app names, checksummed. */
  readonly wallet: string | undefined;
  /** The earliest time at which the account may have been proven, unix seconds; 0 for any time. */
  readonly since: number;
  readonly returnTo: ReturnAddress | undefined;
}

const pageParameters = ["redirect_uri", "providers", "wallet", "since", "state", "ui_locales"];

/**
 * Reads the verify page's query: `redirect_uri`, `providers` (names, separated by commas), `wallet`, `since` and
 * `state`, each at most once.
 *
 * @param query Without the question mark.
 * @param offered The configured providers.
 */
export function readPageRequest(
  query: string,
  rules: RedirectRules,
  offered: readonly ProviderName[],
): PageRequest {
  const parameters = new URLSearchParams(query);
  const once = (name: string): string | undefined => {
    const [value, another] = parameters.getAll(name);
    if (another !== undefined) throw new InvalidInputError(`The address has ${name} more than once.`);
    return value || undefined;
  };
  const state = once("state");
  if (keepPageQuery(query).length > maxPageQueryLength) {
    throw new InvalidInputError(
      `The app's parameters together have more than ${maxPageQueryLength} characters.`,
    );
  }
  const redirectUri = once("redirect_uri");
  return {
    providers: readProviders(once("providers"), offered),
    wallet: readWallet(once("wallet")),
    since: readSince(once("since")),
    returnTo: redirectUri === undefined ? undefined : readReturnAddress(redirectUri, rules, state),
  };
}

/** The part of the service that reads the page's query. */
export interface AskedService {
  readonly config: {
    readonly redirectOrigins: RedirectRules["apps"];
    readonly otherRedirects: RedirectRules["others"];
  };
  readonly providers: Pick<Providers, "clients">;
  readonly development: boolean;
}

/**
 * Reads the verify page's query by the configured rules and providers.
 *
 * @throws ServiceError `invalid_argument` with the problem.
 */
export function requirePageRequest(service: AskedService, query: string): PageRequest {
  const { redirectOrigins: apps, otherRedirects: others } = service.config;
  try {
    return readPageRequest(query, { apps, others, loopback: service.development }, offeredProviders(service));
  } catch (error) {
    if (error instanceof InvalidInputError) throw new ServiceError("invalid_argument", error.message);
    throw error;
  }
}

/** Returns the names of the configured providers. */
export function offeredProviders({ providers }: Pick<AskedService, "providers">): ProviderName[] {
  return Object.keys(providers.clients) as ProviderName[];
}

/** Returns the query of a request without its question mark. An app's address in it may have another one. */
export function queryOf(url: string): string {
  const mark = url.indexOf("?");
  return mark === -1 ? "" : url.slice(mark + 1);
}

/** Returns the query with the page's own parameters only, for a person's return from a provider. */
export function keepPageQuery(query: string): string {
  const kept = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(query)) {
    if (value !== "" && pageParameters.includes(name)) kept.append(name, value);
  }
  return kept.toString();
}

function readWallet(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (isAddress(text) && hasValidCasing(text)) return checksumAddress(text);
  throw new InvalidInputError("The app's wallet is not an address, or has a wrong checksum.");
}

function readSince(text = "0"): number {
  // Milliseconds have more digits.
  if (/^\d{1,11}$/.test(text)) return Number(text);
  throw new InvalidInputError("The app's time (since) is not in unix seconds.");
}

function readProviders(text: string | undefined, offered: readonly ProviderName[]): readonly ProviderName[] {
  if (text === undefined) return offered;
  const names = text.split(",");
  if (names.length > catalogue.size) {
    throw new InvalidInputError(`The app names ${names.length} providers; there are ${catalogue.size}.`);
  }
  return names.map((name) => {
    if (!catalogue.has(name)) {
      throw new InvalidInputError(
        `Unknown provider ${JSON.stringify(name.slice(0, 64))}; known are ${[...catalogue.keys()].join(", ")}.`,
      );
    }
    const found = offered.find((provider) => provider === name);
    if (found === undefined) {
      const others = offered.length === 0 ? "none is" : `these are: ${offered.join(", ")}`;
      throw new InvalidInputError(`Provider ${name} is not set up at this service; ${others}.`);
    }
    return found;
  });
}
