import { checksumAddress } from "../../../protocol/address.ts";
import type { Discovery } from "../../../protocol/discovery.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";

/** Who signs for a service, by its own word. */
export interface ServiceSigners {
  readonly url: string;
  readonly signer: string;
  /** Who signs once the registry has it. */
  readonly nextSigner: string | undefined;
}

/**
 * Asks a service who signs for it.
 *
 * @param discover Reads what a service says about itself.
 * @throws InvalidInputError when it does not answer, or serves another registry.
 */
export async function readServiceSigners(
  url: string,
  { chainId, registry }: { readonly chainId: number; readonly registry: string },
  discover: (url: string) => Promise<{
    readonly chains: readonly Pick<
      Discovery["chains"][number],
      "chainId" | "registry" | "signer" | "nextSigner"
    >[];
  }>,
): Promise<ServiceSigners> {
  const { chains } = await discover(url).catch((error: Error) => {
    throw new InvalidInputError(`The service ${url} does not tell who signs for it: ${error.message}`);
  });
  const served = chains.find((chain) => chain.chainId === chainId);
  if (served === undefined || checksumAddress(served.registry) !== registry) {
    const serves = chains.map((chain) => `${chain.registry} on chain ${chain.chainId}`).join(" and ");
    throw new InvalidInputError(
      `The service ${url} is one of another registry than ${registry} on chain ${chainId}: of ${serves}.`,
    );
  }
  const { signer, nextSigner } = served;
  return {
    url,
    signer: checksumAddress(signer),
    nextSigner: nextSigner === undefined ? undefined : checksumAddress(nextSigner),
  };
}
