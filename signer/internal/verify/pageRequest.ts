import { checksumAddress, hasValidCasing, isAddress } from "../../../protocol/address.ts";
import { catalogue, type ProviderName } from "../../../protocol/catalogue.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import type { ReturnAddress } from "../../../protocol/verifyPage.ts";
import type { ProviderClients } from "../../providers/client.ts";
import { ServiceError } from "../service/serviceError.ts";
import { type RedirectRules, readReturnAddress } from "./redirect.ts";

/** What an app asks of the verify page, in its query. */
export interface PageRequest {
  /** The providers that the app names, or all that are offered. */
  readonly providers: readonly ProviderName[];
  /** The wallet that it is about, checksummed. */
  readonly wallet: string | undefined;
  /** Unix seconds since which the account must have been proven; 0 for whenever it was. */
  readonly since: number;
  readonly returnTo: ReturnAddress | undefined;
}

const pageParameters = ["redirect_uri", "providers", "wallet", "since", "state"];

/** All of it has to fit into a cookie, encrypted, while the person is at the provider. */
const maxQueryLength = 2_400;

/**
 * Reads the verify page's query: `redirect_uri`, `providers` (names, separated by commas), `wallet`, `since` and
 * `state`, each at most once.
 *
 * @param query Without the question mark.
 * @param offered The providers that are configured here.
 * @throws InvalidInputError saying what is wrong.
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
  if (keepPageQuery(query).length > maxQueryLength) {
    throw new InvalidInputError(
      `The app's return address and state together have more than ${maxQueryLength} characters.`,
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

/**
 * Reads the verify page's query by what is set up here.
 *
 * @throws ServiceError `invalid_argument`, saying what is wrong.
 */
export type DemandPageRequest = (query: string) => PageRequest;

/** Makes the reader of the page's query by what is set up here. */
export function pageRequestReader(rules: RedirectRules, providers: ProviderClients): DemandPageRequest {
  return (query) => {
    try {
      return readPageRequest(query, rules, offeredProviders(providers));
    } catch (error) {
      if (error instanceof InvalidInputError) throw new ServiceError("invalid_argument", error.message);
      throw error;
    }
  };
}

/** The names of the providers that are set up here. */
export function offeredProviders(providers: ProviderClients): ProviderName[] {
  return Object.keys(providers) as ProviderName[];
}

/** The query of a request, without its question mark; an app's address in it may have another one. */
export function queryOf(url: string): string {
  const mark = url.indexOf("?");
  return mark === -1 ? "" : url.slice(mark + 1);
}

/** The query again, of the parameters that the page knows: what a person comes back to from a provider. */
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
  throw new InvalidInputError("The app's wallet is no address of a wallet, or has a wrong checksum.");
}

function readSince(text = "0"): number {
  if (/^\d{1,13}$/.test(text)) return Number(text);
  throw new InvalidInputError("The app's time (since) is not in unix seconds.");
}

function readProviders(text: string | undefined, offered: readonly ProviderName[]): readonly ProviderName[] {
  if (text === undefined) return offered;
  return text.split(",").map((name) => {
    if (!catalogue.has(name)) {
      throw new InvalidInputError(
        `Unknown provider ${JSON.stringify(name.slice(0, 64))}; known are ${[...catalogue.keys()].join(", ")}.`,
      );
    }
    const found = offered.find((provider) => provider === name);
    if (found === undefined) {
      const others = offered.length === 0 ? "none is" : `there ${offered.join(", ")} can be`;
      throw new InvalidInputError(`Provider ${name} is not set up at this service; ${others}.`);
    }
    return found;
  });
}
