import type { ServiceErrorCode } from "../../protocol/errors.ts";
import { IdentityError, identityErrorActions } from "../identityError.ts";
import { invalidArgument, isWebUrl } from "./arguments.ts";
import { wait } from "./poll.ts";

/** A service, and a signal that ends the request. */
export interface ServiceOptions {
  /** The service's URL, such as `https://identity.example`. */
  readonly baseUrl: string;
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined;
}

const attempts = 3;
/** Milliseconds. */
const attemptLimit = 15_000;
const firstPause = 500;
/** The longest pause before a retry; after a longer one, the app retries (`retryAfter`). */
const longestPause = 5_000;

/**
 * Sends a request to the service, up to three times: again if the network failed, or if the service is busy (429) or
 * unavailable (503).
 *
 * @param body JSON to post; without it, the request is a GET.
 * @returns The JSON of a 200 response.
 */
export async function askService(path: string, options: ServiceOptions, body?: object): Promise<unknown> {
  const { baseUrl, signal } = options;
  if (!isWebUrl(baseUrl)) {
    throw invalidArgument("baseUrl", "the http(s) URL of the service", baseUrl);
  }
  const { username, password } = new URL(baseUrl);
  if (username || password) throw invalidArgument("baseUrl", "a URL without a user name and a password");
  const url = baseUrl.replace(/\/+$/, "") + path;
  for (let attempt = 1; ; attempt++) {
    try {
      return await askOnce(url, body, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof IdentityError) || attempt === attempts) throw error;
      const { code, status, retryAfter } = error;
      const pause = retryAfter === undefined ? firstPause * 2 ** (attempt - 1) : retryAfter * 1000;
      const helps = code === "NETWORK_ERROR" || status === 429 || status === 503;
      if (!helps || pause > longestPause) throw error;
      // Random, so that clients that were refused together do not retry together.
      await wait(pause * (1 + Math.random() / 4), signal);
    }
  }
}

async function askOnce(
  url: string,
  body: object | undefined,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const limit = AbortSignal.timeout(attemptLimit);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      credentials: "omit",
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      ...(body && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    text = await response.text();
  } catch (cause) {
    throw new IdentityError("NETWORK_ERROR", unreachable(url), { cause });
  }
  const answer = parseJson(text);
  const mistake = findMistake(url, answer);
  if (mistake !== undefined)
    throw new IdentityError("INVALID_RESPONSE", mistake, { status: response.status });
  if (response.status === 200 && answer !== undefined) return answer;
  throw readProblem(response, answer);
}

/** Describes a wrong `baseUrl`, if the answer shows that it is. */
function findMistake(url: string, answer: unknown): string | undefined {
  const { code, jsonrpc } = Object(answer);
  if (jsonrpc !== undefined) {
    return `A node answers at ${new URL(url).origin}: baseUrl must be the service's URL, which is another one.`;
  }
  return code === "not_found" && /\/v1\/(v1|\.well-known)\//.test(url)
    ? "The service has no such endpoint: baseUrl must be its URL without /v1."
    : undefined;
}

/** Returns only the origin, because a path or query may hold a secret. */
const unreachable = (url: string) =>
  `The service at ${new URL(url).origin} cannot be reached; is it running there? For development, ` +
  "`npx hardhat identity dev` starts one.";

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readProblem({ status, headers }: Response, answer: unknown): IdentityError {
  const { code, detail, verifyUrl } = Object(answer);
  const details = {
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfter: readRetryAfter(headers.get("retry-after")),
  };
  if (!isServiceCode(code) || (identityErrorActions[code] === "redirect" && !isWebUrl(verifyUrl))) {
    const message = `The service's answer (HTTP ${status}) is not one of a verification service.`;
    return new IdentityError("INVALID_RESPONSE", message, details);
  }
  const message = typeof detail === "string" ? detail : code;
  return new IdentityError(code, message, { ...details, ...(isWebUrl(verifyUrl) && { verifyUrl }) });
}

const isServiceCode = (code: unknown): code is ServiceErrorCode =>
  typeof code === "string" && Object.hasOwn(identityErrorActions, code) && code === code.toLowerCase();

/** Seconds from now, of either form that RFC 9110 (section 10.2.3) allows. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}
