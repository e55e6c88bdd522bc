/**
 * The wallet's errors: name → JSON-RPC code and meaning. `unknownBatch` is EIP-5792's error for the methods that take a
 * batch id. All others are those of the specification for `wallet_sendCalls`, in its words.
 */
export const walletErrors = {
  invalidParams: { code: -32602, meaning: "Wallet cannot parse the request (invalid format)." },
  versionNotSupported: { code: -32000, meaning: "Version not supported." },
  userRejected: { code: 4001, meaning: "User rejected the request." },
  unauthorized: { code: 4100, meaning: "Account and/or method not authorized by the user." },
  capabilityNotSupported: {
    code: 5700,
    meaning: "Wallet lacks a capability that was not marked optional.",
  },
  upgradeNotSupported: { code: 5710, meaning: "EIP-7702 not supported on the specified chain id." },
  duplicateBatch: { code: 5720, meaning: "A batch with the given batch id was already submitted." },
  unknownBatch: { code: 5730, meaning: "No batch with the given batch id was submitted." },
  batchTooLarge: { code: 5740, meaning: "Batch too large for the wallet to process." },
  upgradeRejected: { code: 5750, meaning: "EIP-7702 upgrade rejected for this chain and account." },
} as const;

/** The name of an error in {@link walletErrors}. */
export type WalletErrorName = keyof typeof walletErrors;

/** Besides, what EIP-3326 lets wallets answer, and all of them do. */
const allErrors = {
  ...walletErrors,
  unknownChain: { code: 4902, meaning: "Unrecognized chain ID." },
} as const;

/** An error of the wallet with a JSON-RPC `code`, and a `message` that consists of the code's meaning and a detail. */
export class WalletError extends Error {
  override readonly name = "WalletError";
  readonly code: (typeof allErrors)[keyof typeof allErrors]["code"];

  constructor(error: keyof typeof allErrors, detail: string) {
    const { code, meaning } = allErrors[error];
    super(`${meaning} ${detail}`);
    this.code = code;
  }
}
