import { isAddress } from "@hardhat-identity/protocol/address";
import type { Discovery } from "@hardhat-identity/protocol/discovery";
import { isObject, membersOf } from "@hardhat-identity/protocol/json";
import { IdentityError } from "../identityError.ts";
import { isWebUrl } from "../internal/arguments.ts";
import { askService, type ServiceOptions } from "../internal/askService.ts";

/**
 * Reads a service's chains and providers. Compare the registry with the consumer's.
 *
 * @throws IdentityError `client_invalid_argument`, `client_network_error`, `client_invalid_response`, the service's
 * codes, or the signal's reason.
 * @example
 * ```ts
 * import { readDiscovery } from "@hardhat-identity/client";
 *
 * const baseUrl = "https://identity.example";
 * const { chains, providers } = await readDiscovery({ baseUrl });
 * console.log(chains[0]?.chainId); // 84532
 * console.log(providers.microblog?.conditions.followers?.type); // int
 * ```
 */
export async function readDiscovery(options: ServiceOptions): Promise<Discovery> {
  const answer = await askService("/.well-known/onchain-verifications", options);
  if (isDiscovery(answer)) return answer;
  throw new IdentityError("client_invalid_response", "The service's answer is not a discovery document.", {
    status: 200,
  });
}

function isDiscovery(answer: unknown): answer is Discovery {
  const { endpoint, verifyUrl, statement, lifetime, messageMaxAge, chains, providers } = membersOf(answer);
  return (
    isWebUrl(endpoint) &&
    isWebUrl(verifyUrl) &&
    typeof statement === "string" &&
    Number.isSafeInteger(lifetime) &&
    Number.isSafeInteger(messageMaxAge) &&
    Array.isArray(chains) &&
    chains.every(isChain) &&
    isObject(providers) &&
    Object.values(providers).every((provider) => isObject(provider) && isObject(provider.conditions))
  );
}

function isChain(chain: unknown): boolean {
  const { chainId, registry, signer, nextSigner, domain } = membersOf(chain);
  return (
    Number.isSafeInteger(chainId) &&
    isAddress(String(registry)) &&
    isAddress(String(signer)) &&
    (nextSigner === undefined || isAddress(String(nextSigner))) &&
    isObject(domain)
  );
}
