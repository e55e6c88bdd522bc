import { portableHashes } from "./hashes.ts";
import type { Hex } from "./hex.ts";
import { identityHash } from "./identityHash.ts";
import type { EncodedPolicy } from "./policyEncoding.ts";
import { policyHash } from "./policyHash.ts";
import { hashVerification, type Verification, verificationDomain } from "./verification.ts";

/** A verification, and its EIP-712 digest in the registry's domain. */
export interface ComposedVerification {
  readonly verification: Verification;
  readonly digest: Hex;
}

/**
 * Composes the verification of one wallet at one consumer.
 *
 * @param input.user The wallet that may spend it, 20 bytes hex.
 * @param input.pseudonym Stands for the account that was proven; see `pseudonym`.
 * @param input.policyHash The consumer's policy; see `policyHash`.
 * @param input.expiration The last second at which it is valid, unix seconds of the chain's clock.
 */
export type ComposeVerification = (input: {
  consumer: string;
  user: string;
  pseudonym: string;
  policyHash: Hex;
  expiration: number;
}) => ComposedVerification;

/**
 * Composes verifications for one registry. Values that all of them share are computed once.
 *
 * @param input.registry The registry that consumers ask, 20 bytes hex.
 * @param input.identityKey The key derived for purpose `identity`, 32 bytes.
 */
export function verificationComposer(
  input: { chainId: number; registry: string; identityKey: Uint8Array },
  hashes = portableHashes,
): ComposeVerification {
  const domain = verificationDomain(input);
  const keyed = hashes.hmacSha256(input.identityKey);
  return ({ consumer, user, pseudonym, policyHash, expiration }) => {
    const identity = identityHash({ ...input, consumer, pseudonym }, keyed);
    const verification = { user, identityHash: identity, policyHash, expiration };
    return { verification, digest: hashVerification(domain, verification, hashes) };
  };
}

/**
 * Composes a single verification; see {@link verificationComposer}.
 *
 * @param input.encoded The consumer's policy, as its getters return it.
 */
export function composeVerification(
  input: Parameters<typeof verificationComposer>[0] &
    Omit<Parameters<ComposeVerification>[0], "policyHash"> & { encoded: EncodedPolicy },
): ComposedVerification {
  return verificationComposer(input)({ ...input, policyHash: policyHash(input) });
}
