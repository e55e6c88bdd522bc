// The SDK for apps, `@hardhat-identity/client`: what is exported here is public. It runs in a browser, and needs no package.
export type { Discovery } from "@hardhat-identity/protocol/discovery";
export type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
export type { Hex } from "@hardhat-identity/protocol/hex";
export type { Receipt } from "@hardhat-identity/protocol/receipt";
export type { SignedVerification } from "@hardhat-identity/protocol/verification";
export type { Call } from "./calls/call.ts";
export { type EncodeCallOptions, encodeCall } from "./calls/encodeCall.ts";
export { sendCall } from "./calls/sendCall.ts";
export { type SendCallsOptions, sendCalls } from "./calls/sendCalls.ts";
export { type ExecutedCalls, type WaitForCallsOptions, waitForCalls } from "./calls/waitForCalls.ts";
export { type WaitForReceiptOptions, waitForReceipt } from "./calls/waitForReceipt.ts";
export {
  IdentityError,
  type IdentityErrorAction,
  type IdentityErrorCode,
  identityErrorActions,
} from "./identityError.ts";
export { buildSignInMessage, type SignInOptions } from "./signIn/buildSignInMessage.ts";
export { signMessage } from "./signIn/signMessage.ts";
export { type Block, getStorageAt } from "./storage/getStorageAt.ts";
export { type IdentityLocation, identityPosition } from "./storage/identityPosition.ts";
export { isIdentityUsed } from "./storage/isIdentityUsed.ts";
export { type WatchOptions, watchIdentity } from "./storage/watchIdentity.ts";
export { readDiscovery } from "./verification/readDiscovery.ts";
export {
  type RequestVerificationOptions,
  requestVerification,
} from "./verification/requestVerification.ts";
