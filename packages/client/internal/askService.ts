import { membersOf } from "@hardhat-identity/protocol/json";
import { IdentityError } from "../identityError.ts";
import { invalidArgument, isWebUrl } from "./arguments.ts";
import { wait } from "./poll.ts";
import { describeFailure, originOf, readProblem } from "./readProblem.ts";
import { reasonOf, runWithin } from "./runWithin.ts";

/** A service, and a signal that ends the request. */
export interface ServiceOptions {
  /** The service's URL, such as `https://identity.example`. */
  readonly baseUrl: string;
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined;
}

const attempts = 3;
/** Milliseconds for one attempt. */
const attemptLimitMs = 15_000;
const firstPauseMs = 500;
/** The longest pause before a retry; after a longer one, the app retries (`retryAfter`). */
const longestPauseMs = 5_000;

/**
 * Sends a request to the service, up to three times: again if the network failed, or if the service is busy (429) or
 * unavailable (503), by the word of the service or of a gateway before it (502, 504).
 *
 * @param body JSON to post; without it, the request is a GET.
 * @returns The JSON of a 200 response.
 */
export async function askService(path: string, options: ServiceOptions, body?: object): Promise<unknown> {
  const { baseUrl, signal } = options;
  if (!isWebUrl(baseUrl)) {
    throw invalidArgument("baseUrl", "the http(s) URL of the service", baseUrl);
  }
  if (originOf(baseUrl).includes("@")) {
    throw invalidArgument("baseUrl", "a URL without user or password");
  }
  const url = baseUrl.replace(/\/+$/, "") + path;
  for (let attempt = 1; ; attempt++) {
    try {
      return await askOnce(url, body, signal);
    } catch (error) {
      if (signal?.aborted) throw reasonOf(signal);
      if (!(error instanceof IdentityError) || attempt === attempts) throw error;
      // Without an answer, it counts as unavailable.
      const { status = 503, retryAfter } = error;
      const pause = retryAfter === undefined ? firstPauseMs * 2 ** (attempt - 1) : retryAfter * 1000;
      const helps = status === 429 || status > 501;
      if (!helps || pause > longestPauseMs) throw error;
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
  let response: Response;
  let text: string;
  try {
    [response, text] = await runWithin(attemptLimitMs, signal, async (limit) => {
      const request: RequestInit = {};
      if (body !== undefined) {
        request.method = "POST";
        request.headers = { "content-type": "application/json" };
        request.body = JSON.stringify(body);
      }
      const strict: RequestInit = { ...request, credentials: "omit", signal: limit };
      const answer = await (async () => fetch(url, strict))().catch((error: unknown) => {
        // jsdom has a signal of its own, which the fetch of Node does not accept. The limit holds without it. Cloudflare's
        // Workers have no cookies, and refuse to be told so.
        if (!/AbortSignal|'credentials'/.test(String(error))) throw error;
        return fetch(url, request);
      });
      return [answer, await answer.text()] as const;
    });
  } catch (cause) {
    throw new IdentityError("client_network_error", describeFailure(url, cause), { cause });
  }
  const answer = parseJson(text);
  if (response.status === 200 && answer !== undefined && membersOf(answer).jsonrpc === undefined)
    return answer;
  throw readProblem(url, response, answer);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
