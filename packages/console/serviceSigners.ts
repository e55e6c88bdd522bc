import { checksumAddress } from "@hardhat-identity/protocol/address";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { discoverService } from "./probeService.ts";

/** The signers of a service, as it reports them. */
export interface ServiceSigners {
  readonly url: string;
  readonly signer: string;
  /** The signer that takes over once the registry lists it. */
  readonly nextSigner: string | undefined;
}

/** Reads the signers of a service, which must serve this registry. */
export async function readServiceSigners(
  url: string,
  { chainId, registry }: { readonly chainId: number; readonly registry: string },
): Promise<ServiceSigners> {
  const { chains } = await discoverService(url).catch((error: Error) => {
    throw new InvalidInputError(`The service ${url} did not report its signers: ${error.message}`);
  });
  const served = chains.find((chain) => chain.chainId === chainId);
  if (served === undefined || checksumAddress(served.registry) !== registry) {
    const serves = chains.map((chain) => `${chain.registry} on chain ${chain.chainId}`).join(" and ");
    throw new InvalidInputError(
      `The service ${url} does not serve the registry ${registry} on chain ${chainId}; it serves ${serves}.`,
    );
  }
  const { signer, nextSigner } = served;
  return {
    url,
    signer: checksumAddress(signer),
    nextSigner: nextSigner === undefined ? undefined : checksumAddress(nextSigner),
  };
}
