import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { type SendCallsParameter, sendCallsVersion } from "@hardhat-identity/protocol/eip5792";
import { membersOf } from "@hardhat-identity/protocol/json";
import { checkAddress, invalidArgument } from "../internal/arguments.ts";
import { checkChain, sendRpc } from "../internal/rpc.ts";
import { type Call, checkCall } from "./call.ts";

/** A batch of calls. */
export interface SendCallsOptions {
  /** The sender; for an entry point, the account that signed the message. */
  readonly from: string;
  /** The wallet must be on this chain. */
  readonly chainId: number;
  /** In order. `capabilities` can limit a call's gas: `{ gasLimitOverride: { value: "0x30d40" } }`. */
  readonly calls: readonly (Call & {
    readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  })[];
  /** Whether the wallet must execute all calls or none. */
  readonly atomicRequired: boolean;
  /** Hex of at most 4096 bytes; the wallet chooses one by default. */
  readonly id?: string | undefined;
  /** The batch's capabilities (EIP-5792). */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Asks the wallet to send calls as one batch (`wallet_sendCalls`, EIP-5792), once. `waitForCalls` waits for it.
 *
 * @throws IdentityError `client_invalid_argument`, `client_invalid_response`, `client_wrong_chain`,
 * `client_user_rejected`, `client_verification_expired`, `client_pace_exceeded`, `client_reverted`, `client_rpc_error`,
 * `client_outcome_unknown` if the wallet may have sent it.
 * @example
 * ```ts
 * import { encodeCall, sendCalls, waitForCalls } from "@hardhat-identity/client";
 *
 * const data = encodeCall({
 *   abi: "approve(address spender, uint256 amount)",
 *   args: { spender: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512", amount: 25n },
 * });
 * const { batchId } = await sendCalls(window.ethereum, {
 *   from: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
 *   chainId: 84532,
 *   atomicRequired: true,
 *   calls: [
 *     { to: "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0", data },
 *     { to: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", value: 1_000n },
 *   ],
 * });
 * const { status } = await waitForCalls(window.ethereum, { batchId, signal: AbortSignal.timeout(60_000) });
 * console.log(status); // 200
 * ```
 */
export async function sendCalls(
  wallet: Eip1193Connection,
  options: SendCallsOptions,
): Promise<{ batchId: string; status: string | undefined }> {
  const { atomicRequired, id, capabilities } = options;
  const from = checkAddress("from", options.from);
  if (typeof atomicRequired !== "boolean") {
    throw invalidArgument("atomicRequired", "true or false", atomicRequired);
  }
  if (!Array.isArray(options.calls)) throw invalidArgument("calls", "an array of calls", options.calls);
  const calls = options.calls.map((call, i) => ({
    ...checkCall(`calls[${i}].`, call),
    ...(call.capabilities && { capabilities: call.capabilities }),
  }));
  const parameter: SendCallsParameter = {
    version: sendCallsVersion,
    ...(id !== undefined && { id }),
    from,
    chainId: await checkChain(wallet, options.chainId),
    atomicRequired,
    calls,
    ...(capabilities && { capabilities }),
  };
  return sendRpc(wallet, "wallet_sendCalls", [parameter], {
    chainId: options.chainId,
    isAllOrNothing: atomicRequired || calls.length < 2,
    read: readBatch,
  });
}

/** Reads the specification's `batchId`, EIP-5792's `id`, or the id alone, which wallets of an older draft answer. */
function readBatch(answer: unknown): { batchId: string; status: string | undefined } | undefined {
  const { batchId, id, status } = membersOf(answer);
  const found = typeof answer === "string" ? answer : (batchId ?? id);
  if (typeof found !== "string" || found === "") return undefined;
  return { batchId: found, status: typeof status === "string" ? status : undefined };
}
