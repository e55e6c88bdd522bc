/** As viem types it and ethers takes it. */
export type Hex = `0x${string}`;

/** An integer as JSON-RPC writes it. */
export const toQuantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;

/** The ends of an address or a hash, enough to tell it from others. */
export const shortenHex = (text: string): string => `${text.slice(0, 6)}…${text.slice(-4)}`;
