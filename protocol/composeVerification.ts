import type { Hex } from "./hex.ts";
import { identityHash } from "./identityHash.ts";
import type { EncodedPolicy } from "./policyEncoding.ts";
import { policyHash } from "./policyHash.ts";
import { hashVerification, type Verification, verificationDomain } from "./verification.ts";

/**
 * Composes what a signer signs for one wallet at one consumer.
 *
 * @param input.registry The registry that the consumer asks, 20 bytes hex.
 * @param input.user The wallet that may spend it, 20 bytes hex.
 * @param input.pseudonym Stands for the account that was proven; see `pseudonym`.
 * @param input.identityKey The key derived for purpose `identity`, 32 bytes.
 * @param input.encoded The consumer's policy, as its getters return it.
 * @param input.expiration The last second at which it is valid, unix seconds of the chain's clock.
 * @returns The verification, and its EIP-712 digest in the registry's domain.
 */
export function composeVerification(input: {
  chainId: number;
  registry: string;
  consumer: string;
  user: string;
  pseudonym: string;
  identityKey: Uint8Array;
  encoded: EncodedPolicy;
  expiration: number;
}): { verification: Verification; digest: Hex } {
  const { user, expiration } = input;
  const verification = {
    user,
    identityHash: identityHash(input),
    policyHash: policyHash(input),
    expiration,
  };
  return { verification, digest: hashVerification(verificationDomain(input), verification) };
}
