import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { isLoopback } from "@hardhat-identity/protocol/loopback";
import { addresses } from "../config/addresses.ts";
import type { SignerConfig } from "../config/config.ts";

/**
 * Refuses plain http URLs that browsers reach over a network: there the verify page's cookies are not `Secure`, and signed
 * messages can be read in transit. Loopback is not a network.
 */
export function refusePlainHttp(config: SignerConfig): void {
  const { publicUrl, verifyUrl } = addresses(config, config.port);
  for (const [variable, url] of Object.entries({
    IDENTITY_PUBLIC_URL: publicUrl,
    IDENTITY_VERIFY_URL: verifyUrl,
  })) {
    const { protocol, hostname } = new URL(url);
    if (protocol === "https:" || isLoopback(hostname)) continue;
    throw new InvalidInputError(
      `The service's URL ${url} uses plain http, which is allowed only on loopback, or with development secrets on a local node. Set ${variable} to an https URL, and serve https by a proxy in front of the service.`,
    );
  }
}
