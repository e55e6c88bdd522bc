import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { BatchCall } from "@hardhat-identity/protocol/eip5792";
import { type Hex, isHex } from "@hardhat-identity/protocol/hex";
import { atPending } from "@hardhat-identity/protocol/pendingBlock";
import { IdentityError } from "../identityError.ts";
import { checkAddress } from "../internal/arguments.ts";
import { attempt, callRpc, checkChain, sendRpc } from "../internal/rpc.ts";
import { runWithin } from "../internal/runWithin.ts";
import { asViemClient, findOwnAccount } from "../internal/viem.ts";
import { type Call, checkCall } from "./call.ts";

/**
 * Simulates a call (`eth_call`), and asks the wallet to send it as a transaction (`eth_sendTransaction`), once.
 * `waitForReceipt` waits for its block. A viem client with a local account signs the transaction by itself.
 *
 * @param options.from The sender; for an entry point, the account that signed the message.
 * @param options.chainId The wallet must be on this chain.
 * @returns The transaction's hash.
 * @throws IdentityError `client_invalid_argument`, `client_invalid_response`, `client_wrong_chain`,
 * `client_user_rejected`, `client_verification_expired`, `client_pace_exceeded`, `client_reverted` (with `revertData`,
 * if the wallet or node tells it), `client_rpc_error`, `client_outcome_unknown` if the wallet may have sent it.
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
  const chainId = await checkChain(wallet, options.chainId);
  const revert = await simulate(wallet, transaction);
  // The user may have changed the wallet's network meanwhile.
  await checkChain(wallet, options.chainId);
  if (revert) throw revert;
  const sending = {
    chainId: options.chainId,
    isAllOrNothing: true,
    read: (hash: unknown) => (isHex(hash, 32) ? hash : undefined),
  };
  const signed = await signOwnTransaction(wallet, transaction, options.chainId);
  return signed === undefined
    ? sendRpc(wallet, "eth_sendTransaction", [{ ...transaction, chainId }], sending)
    : sendRpc(wallet, "eth_sendRawTransaction", [signed], sending);
}

/** Milliseconds to wait for a simulation. The wallet has the last word. */
const simulationLimitMs = 5_000;

/**
 * Returns the error of a call that reverts on the pending state, or on the latest one where there is no pending block. A
 * wallet that cannot tell is not asked again.
 */
async function simulate(
  wallet: Eip1193Connection,
  transaction: BatchCall & { from: string },
): Promise<IdentityError | undefined> {
  // Some wallets change what they are given, such as by taking the data away.
  const callAt = (block: string) =>
    callRpc(wallet, "eth_call", [{ ...transaction }, block], { retryCount: 0 });
  try {
    await runWithin(simulationLimitMs, undefined, () => atPending(callAt));
  } catch (error) {
    const isRevert =
      error instanceof IdentityError && !["client_rpc_error", "client_user_rejected"].includes(error.code);
    if (isRevert) return error;
  }
  return undefined;
}

/** Signs a transaction with the sender's own account of a viem client; its node does not know that account. */
async function signOwnTransaction(
  wallet: Eip1193Connection,
  { from, to, value = "0x0", data }: BatchCall & { from: string },
  chainId: number,
): Promise<unknown> {
  const client = asViemClient(wallet);
  const account = findOwnAccount(client, from);
  if (account?.type !== "local" || client?.prepareTransactionRequest === undefined) return undefined;
  const { chain } = client;
  const isChain = chain?.id === chainId;
  const parameters = { account, chain: isChain ? chain : null, chainId, to, value: BigInt(value), data };
  return attempt("prepareTransactionRequest", async () => {
    const request = await client.prepareTransactionRequest?.(parameters);
    const serializer = isChain ? chain.serializers?.transaction : undefined;
    return account.signTransaction({ ...request, chainId }, { serializer });
  });
}
