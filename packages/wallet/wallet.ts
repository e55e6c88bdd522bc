// The development wallet (EIP-5792) without Hardhat: what is exported here is public. It runs in a browser, too.
export type { CallsStatus } from "@hardhat-identity/protocol/eip5792";
export type { Receipt } from "@hardhat-identity/protocol/receipt";
export { type AnnouncedWallet, type AnnounceOptions, announceWallet } from "./announce.ts";
export { answeredMethods, createWallet, type DevelopmentWallet, type WalletOptions } from "./createWallet.ts";
export { WalletError, type WalletErrorName, walletErrors } from "./errors.ts";
export type { Call, SendCallsRequest } from "./internal/sendCallsRequest.ts";
export type { Authorization, SignAuthorization } from "./internal/submit.ts";
export {
  type Answer,
  type Authorized,
  defaultSettings,
  type WalletSettings,
  walletMethods,
} from "./settings.ts";
