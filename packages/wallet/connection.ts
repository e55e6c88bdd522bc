import type { DevelopmentWallet } from "./createWallet.ts";

/** The `identity` of every Hardhat connection. The plugin hardhat-identity adds members of its own. */
export interface ConnectionIdentity {
  /**
   * The development wallet that answers `wallet_sendCalls` on this connection. Its settings provoke every failure.
   * Throws `InvalidInputError` if the network is not simulated.
   *
   * @example
   * ```ts
   * connection.identity.wallet.rejectNext();
   * await connection.provider.request({ method: "wallet_sendCalls", params: [batch] }); // rejects with code 4001
   * ```
   */
  readonly wallet: DevelopmentWallet;
}
