import { type CallsStatus, sendCallsVersion } from "../../protocol/eip5792.ts";
import type { Receipt } from "../../protocol/receipt.ts";
import type { Node } from "./node.ts";
import type { Submission } from "./submit.ts";

/** A batch that was submitted. */
export interface Batch extends Submission {
  readonly id: string;
  /** Hex. */
  readonly chainId: string;
  readonly atomic: boolean;
  /** How many transactions it takes. */
  readonly transactions: number;
}

/** Tells how a batch stands now: a reverted snapshot takes its receipts away. */
export async function readStatus(node: Node, batch: Batch): Promise<CallsStatus> {
  const receipts: Receipt[] = [];
  let pending = false;
  for (const hash of batch.hashes) {
    const receipt = await node.receipt(hash);
    if (receipt !== null) receipts.push(pick(receipt));
    else if (await node.hasTransaction(hash)) pending = true;
  }
  return {
    version: sendCallsVersion,
    id: batch.id,
    chainId: batch.chainId,
    status: pending ? 100 : judge(batch.transactions, receipts),
    atomic: batch.atomic,
    receipts,
    ...(batch.failure !== undefined && { failure: batch.failure }),
  };
}

function judge(transactions: number, receipts: readonly Receipt[]): 200 | 400 | 500 | 600 {
  const succeeded = receipts.filter(({ status }) => BigInt(status) === 1n).length;
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
