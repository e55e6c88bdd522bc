/** Hex after `0x`, as viem types it and ethers takes it. */
export type Hex = `0x${string}`;
