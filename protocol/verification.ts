import { TypedDataEncoder } from "ethers";
import type { Hex } from "./hex.ts";

/** The EIP-712 types of a verification. */
export const verificationTypes = {
  Verification: [
    { name: "user", type: "address" },
    { name: "identityHash", type: "bytes32" },
    { name: "policyHash", type: "bytes32" },
    { name: "expiration", type: "uint40" },
  ],
};

/** What a signer signs. */
export interface Verification {
  /** The wallet that may spend it, 20 bytes hex. */
  readonly user: string;
  /** The identity as the consumer knows it, 32 bytes hex. */
  readonly identityHash: Hex;
  /** The consumer's policy, 32 bytes hex; see `policyHash`. */
  readonly policyHash: Hex;
  /** The last second at which it is valid, unix seconds of the chain's clock. */
  readonly expiration: number;
}

/** What the service answers, and what the consumer's entry point takes. */
export interface SignedVerification {
  /** The identity as this consumer knows it, 32 bytes. */
  readonly identityHash: Hex;
  /** The last second at which it is valid, unix seconds of the chain's clock; a few minutes from now. */
  readonly expiration: number;
  /** The signer's signature, 65 bytes: r, low s, v of 27 or 28. */
  readonly signature: Hex;
}

/** The EIP-712 domain of a registry on a chain. */
export function verificationDomain(input: { chainId: bigint | number; registry: string }) {
  return {
    name: "SignerRegistry",
    version: "1",
    chainId: input.chainId,
    verifyingContract: input.registry,
  };
}

/** The EIP-712 digest of a verification, 32 bytes hex. */
export function hashVerification(
  domain: ReturnType<typeof verificationDomain>,
  verification: Verification,
): Hex {
  return TypedDataEncoder.hash(domain, verificationTypes, verification) as Hex;
}
