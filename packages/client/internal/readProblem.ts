import type { ServiceErrorCode } from "@hardhat-identity/protocol/errors";
import { IdentityError, identityErrorActions } from "../identityError.ts";
import { isWebUrl } from "./arguments.ts";

/** Returns the origin of an http(s) URL, with a user name if it has one. React Native's URL objects lack parts. */
export const originOf = (url: string) => url.split(/[\s\\/?#]+/, 2).join("//");

/** Describes why there is no answer. Names only the origin, because a path or query may hold a secret. */
export function describeFailure(url: string, cause: unknown): string {
  // Node gives the reason as a code; browsers show it in their console alone.
  const { message, cause: inner } = Object(cause);
  const reason = Object(inner).code ?? message;
  const start = "is it running there? For development, `npx hardhat identity dev` starts one.";
  return `The service at ${originOf(url)} cannot be reached (${reason}); ${start}${nameProxy(url)}`;
}

/** Names Node's setting that sends requests to a proxy, those to loopback, too. */
function nameProxy(url: string): string {
  const { env } = Object(Reflect.get(globalThis, "process"));
  if (!Object(env).NODE_USE_ENV_PROXY) return "";
  return ` NODE_USE_ENV_PROXY may send it to a proxy unless NO_PROXY names ${new URL(url).hostname}.`;
}

/** Turns an answer that is no success into an error. */
export function readProblem(url: string, response: Response, answer: unknown): IdentityError {
  const { status, headers } = response;
  const { code, detail, verifyUrl, serviceTime } = Object(answer);
  const details = {
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfter: readRetryAfter(headers.get("retry-after") ?? ""),
  };
  const mistake = findMistake(url, response, answer);
  if (mistake !== undefined) return new IdentityError("client_invalid_response", mistake, details);
  // More than an answer takes on its way.
  if (Math.abs(Date.now() - Date.parse(serviceTime)) > 30_000) {
    const message = `This device's clock is wrong: set it to ${serviceTime}, and try again.`;
    return new IdentityError("client_wrong_clock", message, details);
  }
  const message = typeof detail === "string" ? detail : code;
  return new IdentityError(code, message, { ...details, ...(isWebUrl(verifyUrl) && { verifyUrl }) });
}

/** Says what is wrong if an answer is not a problem of the service, most likely with `baseUrl`. */
function findMistake(url: string, response: Response, answer: unknown): string | undefined {
  const { code, jsonrpc, verifyUrl } = Object(answer);
  const origin = originOf(url);
  const isProblem = isServiceCode(code) && (identityErrorActions[code] !== "redirect" || isWebUrl(verifyUrl));
  if (jsonrpc !== undefined) {
    return `A node answers at ${origin}: baseUrl must be the service's URL, not the node's.`;
  }
  // A redirect may make a POST a GET, which is another endpoint.
  if (response.redirected && (!isProblem || code === "not_found" || code === "method_not_allowed")) {
    return `${origin} redirects to ${originOf(response.url)}: baseUrl must be the URL without the redirect.`;
  }
  if (code === "not_found" && /\/v1\/(v1|\.well-known)\//.test(url)) {
    return "The service has no such endpoint: baseUrl must be its URL without /v1.";
  }
  return isProblem
    ? undefined
    : `The answer of ${origin} (HTTP ${response.status}) does not come from a verification service.${nameProxy(url)}`;
}

const isServiceCode = (code: unknown): code is ServiceErrorCode =>
  typeof code === "string" && Object.hasOwn(identityErrorActions, code) && !code.startsWith("client_");

/** Seconds from now, of either form that RFC 9110 (section 10.2.3) allows. */
function readRetryAfter(value: string): number | undefined {
  const seconds = /[A-Z]/.test(value) ? (Date.parse(value) - Date.now()) / 1000 : Number.parseFloat(value);
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}
