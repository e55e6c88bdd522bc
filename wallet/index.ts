export type { CallsStatus } from "../protocol/eip5792.ts";
export type { Receipt } from "../protocol/receipt.ts";
export { type AnnouncedWallet, type AnnounceOptions, announceWallet } from "./announce.ts";
export { createWallet, type DevelopmentWallet, type WalletOptions } from "./createWallet.ts";
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
