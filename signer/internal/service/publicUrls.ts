import { InvalidInputError } from "../../../protocol/errors.ts";
import { isLoopback } from "../network/loopback.ts";

/**
 * Refuses plain http URLs that browsers reach over a network: there the verify page's cookies are not `Secure`, and
 * signed messages can be read in transit. Loopback is not a network.
 *
 * @param urls The URLs, by the variable that each comes from.
 * @throws InvalidInputError
 */
export function refusePlainHttpUrls(urls: Readonly<Record<string, string>>): void {
  for (const [variable, url] of Object.entries(urls)) {
    const { protocol, hostname } = new URL(url);
    if (protocol === "https:" || isLoopback(hostname)) continue;
    throw new InvalidInputError(
      `The service would be reached at ${url}, on plain http; that is for loopback, or development secrets on a local node. Set ${variable} to an https URL; a proxy in front of the service speaks https.`,
    );
  }
}
