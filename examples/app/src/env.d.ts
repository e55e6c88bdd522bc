interface ImportMetaEnv {
  /** The chain's node. */
  readonly VITE_RPC_URL: string;
  /** The signer service. */
  readonly VITE_SERVICE_URL: string;
  /** The `Airdrop`. */
  readonly VITE_AIRDROP: string;
  /** The `VerifiedVault`. */
  readonly VITE_VAULT: `0x${string}`;
  /** Announces the node's development wallet in a built app, too. */
  readonly VITE_DEVELOPMENT_WALLET?: string;
}
