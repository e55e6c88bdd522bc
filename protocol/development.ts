/**
 * Secrets that everybody knows, so that a laptop needs none of its own. Whatever uses them must refuse a chain that
 * is not a local node.
 */
export const development = {
  /** Signs verifications. `keccak256("hardhat-identity development signing key")`, 32 bytes hex. */
  signingKey: "0xb4e1042465b29656b2c3b6a0394d1e8e60dc64c14ab87a903fe254f047f9eb32",
  /** The address of the signing key. */
  signer: "0x0Ea4a128DE38ab08bf01af2051A023ec28Ec447e",
  /** The operator's master secret. `keccak256("hardhat-identity development master secret")`, 32 bytes hex. */
  masterSecret: "0xe9910634e30a796fbd4385a88f49e633c251ad3652d2146a21051ed0dca3ddbd",
} as const;
