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

/** The message that a signer signs. */
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

/** The request for a verification. */
export interface VerificationRequest {
  /** The sign-in message that the wallet signed, exactly. */
  readonly message: string;
  /**
   * The wallet's signature over it: its own key's (65 bytes, or 64 by EIP-2098), ERC-1271 or ERC-6492; `0x` if the wallet
   * approved it on chain.
   */
  readonly signature: Hex;
}

/** The service's answer, and the arguments of the consumer's entry point. */
export interface SignedVerification {
  /** The identity as this consumer knows it. */
  readonly identityHash: Hex;
  /** The last second at which it is valid, in unix time of the chain. */
  readonly expiration: number;
  /** The signer's, 65 bytes: r, low s, v of 27 or 28. */
  readonly signature: Hex;
}

/** The EIP-712 domain of a verification. */
export interface VerificationDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  /** The registry, 20 bytes hex. */
  readonly verifyingContract: string;
}

/** The EIP-712 domain of a registry on a chain. */
export function verificationDomain(input: { chainId: number; registry: string }): VerificationDomain {
  return {
    name: "SignerRegistry",
    version: "1",
    chainId: input.chainId,
    verifyingContract: input.registry,
  };
}
