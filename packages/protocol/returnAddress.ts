import { parseUrl } from "./url.ts";

/** The greatest length of the verify page's query, which must fit into a cookie while the person is at the provider. */
export const maxPageQueryLength = 2_400;

/**
 * Says why an app's address cannot be one that the verify page returns to (`redirect_uri`), whatever the operator
 * allows. It refuses any address that could be misread: a URL parser repairs much that a person, or another parser,
 * reads differently.
 *
 * @returns The problem, worded to follow "the address"; `undefined` if there is none.
 */
export function findAddressProblem(text: string): string | undefined {
  if (/[\p{Cc}\p{Cf}\p{Z}\\]/u.test(text)) return "contains a space, backslash or control character";
  if (/\p{Surrogate}/u.test(text)) return "has half of a surrogate pair";
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined || parseUrl(text) === undefined) return "is not an https URL";
  if (authority.includes("@")) return "contains a user name";
  if (encodeURIComponent(text).length > maxPageQueryLength) return "is too long";
  return undefined;
}
