import { hasEnded } from "@hardhat-identity/protocol/chain/connect";
import { describeProxy, keepLoopbackFromProxies } from "@hardhat-identity/protocol/chain/httpProxy";
import { readText } from "@hardhat-identity/protocol/readText";
import { ProviderFailure } from "./failure.ts";

/** The greatest size of a provider's answer, in bytes. */
const maxBytes = 1_000_000;

/** The headers that tell how many requests are left: GitHub's and others', X's, and the one that is to be a standard. */
const limitHeaders = ["x-ratelimit-remaining", "x-rate-limit-remaining", "ratelimit-remaining"];

/**
 * Fetches a provider's answer of any status. It follows no redirect, which would take the access token or the
 * client's secret along, and reads at most a megabyte.
 *
 * @param signal Ends it after a time limit.
 * @returns The status, whether it refuses because we have asked too often, the text, and the challenge to credentials that
 * it does not accept.
 * @throws ProviderFailure
 */
export async function fetchProvider(
  provider: string,
  url: string,
  request: { method: "GET" | "POST"; headers: Readonly<Record<string, string>>; body?: URLSearchParams },
  signal: AbortSignal,
) {
  const { host } = new URL(url);
  const headers = { accept: "application/json", "user-agent": "hardhat-identity", ...request.headers };
  keepLoopbackFromProxies();
  try {
    const ask = () => fetch(url, { ...request, headers, redirect: "manual", signal });
    const response = await ask().catch((error: unknown) => {
      // A code is spent the first time.
      if (request.method === "GET" && hasEnded(error)) return ask();
      throw error;
    });
    const text = await readText(response, maxBytes, () => {
      const problem = `${host} answers more than ${maxBytes} bytes.`;
      return new ProviderFailure(provider, "bad_answer", problem);
    });
    const { status, headers: said } = response;
    // GitHub limits with 403 and these headers, others with 400; Twitter did with 420.
    const isSpent = limitHeaders.some((name) => said.get(name) === "0") || said.has("retry-after");
    const isLimited = [429, 420].includes(status) || ([403, 400].includes(status) && isSpent);
    return { status, isLimited, text, challenge: said.get("www-authenticate") };
  } catch (error) {
    if (error instanceof ProviderFailure) throw error;
    throw error instanceof DOMException && error.name === "TimeoutError"
      ? new ProviderFailure(provider, "timeout", `${host} does not answer in time${describeProxy(url)}.`)
      : new ProviderFailure(provider, "unreachable", `${host} cannot be reached${describeProxy(url)}.`);
  }
}
