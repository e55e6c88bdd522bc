/** As viem types it and ethers takes it. */
export type Hex = `0x${string}`;
