import type { CustomFetch } from "openid-client";
import { ProviderFailure } from "./failure.ts";

/** The greatest size of a provider's answer, in bytes. */
const maxBytes = 1_000_000;

/**
 * Creates a `fetch` that returns an answer below 500 other than 429, or throws a {@link ProviderFailure}. It follows no
 * redirect, which would take the access token or the client's secret along, and reads at most a megabyte.
 */
export function createProviderFetch(provider: string): CustomFetch {
  return async (url, options) => {
    const { host } = new URL(url);
    const response = await readWhole(url, options).catch((error: unknown) => {
      if (error instanceof AnswerTooLargeError) {
        throw new ProviderFailure(provider, "bad_answer", `${host} answers more than ${maxBytes} bytes.`);
      }
      throw error instanceof DOMException && error.name === "TimeoutError"
        ? new ProviderFailure(provider, "timeout", `${host} does not answer in time.`)
        : new ProviderFailure(provider, "unreachable", `${host} cannot be reached.`);
    });
    if (response.status === 429) {
      throw new ProviderFailure(provider, "rate_limited", `${host} answers 429.`);
    }
    if (response.status >= 500) {
      throw new ProviderFailure(provider, "provider_error", `${host} answers ${response.status}.`);
    }
    return response;
  };
}

class AnswerTooLargeError extends Error {
  override readonly name = "AnswerTooLargeError";
}

async function readWhole(url: string, options: Parameters<CustomFetch>[1]): Promise<Response> {
  const { body, ...rest } = options;
  const response = await fetch(url, {
    ...rest,
    ...(body ? { body: body as RequestInit["body"] } : {}),
    redirect: "manual",
  } as RequestInit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new AnswerTooLargeError();
    chunks.push(chunk);
  }
  const headers = new Headers(response.headers);
  // The body is already decompressed.
  headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status: response.status, headers });
}
