export { type AnnounceOptions, announceWallet } from "./announce.ts";
export { type Answer, createWallet, type DevelopmentWallet, type WalletOptions } from "./createWallet.ts";
export { WalletError, type WalletErrorName, walletErrors } from "./errors.ts";
export type { Receipt } from "./internal/node.ts";
export type { Call, SendCallsRequest } from "./internal/sendCallsRequest.ts";
export type { CallsStatus } from "./internal/status.ts";
export type { Authorization, SignAuthorization } from "./internal/submit.ts";
export { type Authorized, defaultSettings, type WalletSettings, walletMethods } from "./settings.ts";
