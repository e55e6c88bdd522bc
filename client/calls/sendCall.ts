import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import type { BatchCall } from "../../protocol/eip5792.ts";
import type { Hex } from "../../protocol/hex.ts";
import { IdentityError } from "../identityError.ts";
import { checkAddress, isHex } from "../internal/arguments.ts";
import { callRpc, checkChain, sendRpc } from "../internal/rpc.ts";
import { within } from "../internal/within.ts";
import { type Call, checkCall } from "./call.ts";

/**
 * Simulates a call (`eth_call`), and asks the wallet to send it as a transaction (`eth_sendTransaction`), once.
 * `waitForReceipt` waits for its block.
 *
 * @param options.from The sender; for an entry point, the account that signed the message.
 * @param options.chainId The wallet must be on this chain.
 * @returns The transaction's hash.
 * @throws IdentityError `INVALID_ARGUMENT`, `INVALID_RESPONSE`, `WRONG_CHAIN`, `USER_REJECTED`, `VERIFICATION_EXPIRED`,
 * `PACE_EXCEEDED`, `REVERTED` (with `revertData`, if the wallet or node tells it), `RPC_ERROR`, `OUTCOME_UNKNOWN` if the
 * wallet may have sent it.
 * @example
 * ```ts
 * import { encodeCall, sendCall, waitForReceipt } from "@hardhat-identity/client";
 *
 * const hash = await sendCall(window.ethereum, {
 *   from: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
 *   chainId: 84532,
 *   to: "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
 *   data: encodeCall({
 *     abi: "approve(address spender, uint256 amount)",
 *     args: { spender: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512", amount: 25n },
 *   }),
 * });
 * const receipt = await waitForReceipt(window.ethereum, { hash, signal: AbortSignal.timeout(60_000) });
 * console.log(receipt.status); // 0x1
 * ```
 */
export async function sendCall(
  wallet: Eip1193Connection,
  options: Call & { readonly from: string; readonly chainId: number },
): Promise<Hex> {
  const transaction = { from: checkAddress("from", options.from), ...checkCall("", options) };
  await checkChain(wallet, options.chainId);
  await simulate(wallet, transaction);
  return sendRpc(wallet, "eth_sendTransaction", [transaction], {
    isAllOrNothing: true,
    read: (hash) => (isHex(hash, 32) ? hash : undefined),
  });
}

/** Milliseconds to wait for a simulation. The wallet has the last word. */
const simulationLimit = 5_000;

/** Throws the error of a call that reverts on the pending state. A wallet that cannot tell is not asked twice. */
async function simulate(wallet: Eip1193Connection, transaction: BatchCall & { from: string }): Promise<void> {
  try {
    await within(simulationLimit, undefined, () =>
      callRpc(wallet, "eth_call", [transaction, "pending"], { retryCount: 0 }),
    );
  } catch (error) {
    const isRevert = error instanceof IdentityError && !["RPC_ERROR", "USER_REJECTED"].includes(error.code);
    if (isRevert) throw error;
  }
}
