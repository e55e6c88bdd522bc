import { isAddress } from "@hardhat-identity/protocol/address";
import { describeProxy, keepLoopbackFromProxies } from "@hardhat-identity/protocol/chain/httpProxy";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { Hex } from "@hardhat-identity/protocol/hex";
import { membersOf } from "@hardhat-identity/protocol/json";

/** Milliseconds. The service itself always answers within ten seconds, at worst with an error. */
const timeoutMs = 15_000;

/**
 * Asks a running service, by POST where there is a body.
 *
 * @returns The body of an answer of any status.
 */
export async function probeService(
  url: string,
  path: string,
  body?: object,
): Promise<{ body: object; requestId: string | null }> {
  const sent = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const signal = AbortSignal.timeout(timeoutMs);
  keepLoopbackFromProxies();
  let status: number | undefined;
  try {
    // Followed, a POST would arrive as a GET, and the answer would be another address's.
    const response = await fetch(`${url}${path}`, { ...(body && sent), signal, redirect: "manual" });
    status = response.status;
    const location = response.headers.get("location");
    if (status >= 300 && status < 400 && location !== null) {
      throw new InvalidInputError(
        `The service at ${url} redirects ${path} to ${new URL(location, response.url)} (HTTP ${status}). Redirects are not followed: pass the URL of the service itself.`,
      );
    }
    return { body: membersOf(await response.json()), requestId: response.headers.get("x-request-id") };
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    const reason = `${status === undefined ? "" : `HTTP ${status}, `}${describeError(error)}`;
    throw new InvalidInputError(
      `The service at ${url} does not answer ${path} (${reason})${describeProxy(url)}.`,
    );
  }
}

/** The members of a service's description that commands read. A later release may have more. */
export interface DescribedService {
  readonly testIdentity?: string | undefined;
  readonly chains: readonly DescribedChain[];
}
interface DescribedChain {
  readonly chainId: number;
  readonly registry: Hex;
  readonly signer: Hex;
  readonly nextSigner?: Hex | undefined;
}

/** Asks a running service for its description. */
export async function discoverService(url: string): Promise<DescribedService> {
  const { body } = await probeService(url, "/.well-known/onchain-verifications");
  const { testIdentity, chains, code, detail } = membersOf(body);
  const isHash = testIdentity === undefined || /^0x[\da-f]{64}$/i.test(String(testIdentity));
  if (isHash && Array.isArray(chains) && chains.every(isDescribed)) {
    return { testIdentity: testIdentity === undefined ? undefined : String(testIdentity), chains };
  }
  // Such as a service that is busy.
  if (typeof code === "string")
    throw new InvalidInputError(`The service at ${url} does not describe itself now (${code}): ${detail}`);
  throw new InvalidInputError(`${url} is not a signer service.`);
}

function isDescribed(chain: unknown): chain is DescribedChain {
  const { chainId, registry, signer, nextSigner } = membersOf(chain);
  const addresses = nextSigner === undefined ? [registry, signer] : [registry, signer, nextSigner];
  return Number.isSafeInteger(chainId) && addresses.every((address) => isAddress(String(address)));
}

/** The URL of a running service, without a slash at its end. */
export function readServiceUrl(name: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, "");
  throw new InvalidInputError(
    `${name} must be the http(s) URL of a running service, got ${JSON.stringify(text)}.`,
  );
}

function describeError(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return "unknown";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}
