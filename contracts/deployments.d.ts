/** A registry on a public chain. */
export interface Deployment {
  readonly chainId: number;
  /** Address of the `SignerRegistry`, checksummed. */
  readonly registry: `0x${string}`;
  /** Number of the block that it was deployed in: from here on its events are worth reading. */
  readonly block: number;
}

/** The known deployments, oldest first. There is none yet. */
export declare const deployments: readonly Deployment[];
