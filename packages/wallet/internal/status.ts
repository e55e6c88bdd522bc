import { describeValue } from "@hardhat-identity/protocol/describeValue";
import { type CallsStatus, type CallsStatusCode, sendCallsVersion } from "@hardhat-identity/protocol/eip5792";
import type { Receipt } from "@hardhat-identity/protocol/receipt";
import { WalletError } from "../errors.ts";
import type { WalletMethod } from "../settings.ts";
import { checkMethod } from "./authorized.ts";
import { readText, refuse } from "./fields.ts";
import type { Batch, WalletState } from "./state.ts";

/**
 * Reads the current status of the batch in a method's parameters. Reverting to a snapshot can remove its receipts.
 *
 * @throws WalletError -32602, 4100 or 5730.
 */
export async function readStatus(
  state: WalletState,
  method: WalletMethod,
  params: unknown,
): Promise<CallsStatus> {
  const batch = findBatch(state, method, params);
  const receipts: Receipt[] = [];
  let pending = false;
  for (const hash of batch.hashes) {
    const receipt = await state.node.receipt(hash);
    if (receipt !== null) receipts.push(pick(receipt));
    else if (await state.node.hasTransaction(hash)) pending = true;
  }
  return {
    version: sendCallsVersion,
    id: batch.id,
    chainId: batch.chainId,
    status: pending ? 100 : judgeStatus(batch.transactions, receipts),
    atomic: batch.atomic,
    receipts,
    ...(batch.failure !== undefined && { failure: batch.failure }),
    ...(batch.revertData !== undefined && receipts.some(hasFailed) && { revertData: batch.revertData }),
  };
}

function findBatch({ settings, batches }: WalletState, method: WalletMethod, params: unknown): Batch {
  if (!Array.isArray(params) || params.length !== 1) {
    return refuse("params", "an array with one batch id", params);
  }
  const id = readText(params[0], "params[0]");
  checkMethod(settings, method);
  const batch = batches.get(id);
  if (batch === undefined) throw new WalletError("unknownBatch", `It is ${describeValue(id)}.`);
  return batch;
}

const hasFailed = ({ status }: Receipt): boolean => BigInt(status) === 0n;

function judgeStatus(transactions: number, receipts: readonly Receipt[]): CallsStatusCode {
  const succeeded = receipts.filter((receipt) => !hasFailed(receipt)).length;
  if (succeeded === transactions) return 200;
  if (receipts.length === 0) return 400;
  return succeeded === 0 ? 500 : 600;
}

function pick({ logs, status, blockHash, blockNumber, gasUsed, transactionHash }: Receipt): Receipt {
  return {
    logs: logs.map(({ address, data, topics }) => ({ address, data, topics })),
    status,
    blockHash,
    blockNumber,
    gasUsed,
    transactionHash,
  };
}
