import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { isLoopbackOfBrowser } from "@hardhat-identity/protocol/loopback";
import { findAddressProblem } from "@hardhat-identity/protocol/returnAddress";
import { type ReturnAddress, returnErrors } from "../messages.ts";

/** The rules for the addresses that a person may be sent back to. */
export interface RedirectRules {
  /** Apps to which the page returns at once. */
  readonly apps: readonly { readonly origin: string; readonly name?: string }[];
  /** Whether the page asks before it returns to any other https origin, or refuses it. */
  readonly others: "ask" | "refuse";
  /** Whether the page returns to any loopback address at once. */
  readonly loopback: boolean;
}

/**
 * Reads an app's `redirect_uri`.
 *
 * @param state The app's own `state`, which goes back with the person.
 */
export function readReturnAddress(
  text: string,
  rules: RedirectRules,
  state: string | undefined,
): ReturnAddress {
  const refuse = (what: string) => new InvalidInputError(`The app's return address (redirect_uri) ${what}.`);
  const problem = findAddressProblem(text);
  if (problem !== undefined) throw refuse(problem);
  const url = new URL(text);
  const kind = judgeReturnUrl(url, rules);
  if (kind === "refuse") throw refuse(`is at ${url.origin}, which this service does not return to`);
  if (kind === "plain") throw refuse("is not an https URL");
  const ours = state === undefined ? {} : { state };
  const others = keepOthers(url, ["success", "error", ...Object.keys(ours)]);
  const back = (outcome: Record<string, string>) =>
    withQuery(url, [...others, new URLSearchParams({ ...outcome, ...ours }).toString()]);
  return {
    kind,
    origin: url.origin,
    name: rules.apps.find(({ origin }) => origin === url.origin)?.name,
    url: url.href,
    success: back({ success: "true" }),
    errors: Object.fromEntries(
      returnErrors.map((error) => [error, back({ error })]),
    ) as ReturnAddress["errors"],
  };
}

function judgeReturnUrl(url: URL, rules: RedirectRules): "trusted" | "ask" | "refuse" | "plain" {
  if (rules.apps.some(({ origin }) => origin === url.origin)) return "trusted";
  if (rules.loopback && isLoopbackOfBrowser(url.hostname)) return "trusted";
  return url.protocol === "https:" ? rules.others : "plain";
}

/** Returns the parameters of the app's own, as they are, byte for byte. */
function keepOthers(url: URL, ours: readonly string[]): string[] {
  const nameOf = (pair: string) => [...new URLSearchParams(pair).keys()][0] ?? "";
  const pairs = url.search.slice(1).split("&");
  return pairs.filter((pair) => pair !== "" && !ours.includes(nameOf(pair)));
}

function withQuery(url: URL, pairs: readonly string[]): string {
  const target = new URL(url);
  target.search = pairs.join("&");
  return target.href;
}
