import type { Hex } from "./hex.ts";
import type { Receipt } from "./receipt.ts";

/** The only version of `wallet_sendCalls`. */
export const sendCallsVersion = "2.0.0";

/** One call of a batch in JSON; quantities are hex. */
export interface BatchCall {
  readonly to: string;
  /** Wei. The specification requires it; EIP-5792 does not. */
  readonly value?: Hex;
  readonly data?: Hex;
  /** Such as `{ gasLimitOverride: { value: "0x30d40" } }`. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
}

/** The one parameter of `wallet_sendCalls`. */
export interface SendCallsParameter {
  readonly version: typeof sendCallsVersion;
  /** The app's own id for the batch, hex of at most 4096 bytes. */
  readonly id?: string;
  readonly from: string;
  readonly chainId: Hex;
  /** All or nothing. */
  readonly atomicRequired: boolean;
  readonly calls: readonly BatchCall[];
  readonly capabilities?: Readonly<Record<string, unknown>>;
}

/** The answer of `wallet_sendCalls`: the specification's members, and EIP-5792's `id`. */
export interface SendCallsResult {
  readonly batchId: string;
  readonly status: string;
  /** The same as `batchId`. */
  readonly id: string;
}

/** 100 pending, 200 confirmed, 400 never included, 500 reverted, 600 partly reverted. */
export type CallsStatusCode = 100 | 200 | 400 | 500 | 600;

/** The answer of `wallet_getCallsStatus`. */
export interface CallsStatus {
  readonly version: string;
  readonly id: string;
  readonly chainId: string;
  readonly status: CallsStatusCode;
  /** Whether all calls are one transaction. */
  readonly atomic: boolean;
  /** In order, also of calls that reverted; one for an atomic batch. */
  readonly receipts: readonly Receipt[];
  /** Not in EIP-5792: the node's message, where a transaction failed at once. */
  readonly failure?: string;
  /** Not in EIP-5792: what the call that failed reverted with. */
  readonly revertData?: Hex;
}
