import { columns } from "../../../console/columns.ts";
import type { CallsStatus } from "../../../protocol/eip5792.ts";

const meanings: Record<CallsStatus["status"], string> = {
  100: "pending",
  200: "confirmed",
  400: "not included, and will not be retried",
  500: "reverted",
  600: "partially reverted",
};

/** Describes a batch's status for people. */
export function describeStatus({ id, status, atomic, receipts, failure }: CallsStatus): string {
  return columns([
    ["Batch", id],
    ["Status", `${status} ${meanings[status]}`],
    ["Atomic", atomic ? "yes" : "no"],
    ...receipts.map((receipt): [string, string] => [
      BigInt(receipt.status) === 1n ? "Confirmed" : "Reverted",
      `${receipt.transactionHash} in block ${BigInt(receipt.blockNumber)}, ${BigInt(receipt.gasUsed)} gas`,
    ]),
    ...(failure === undefined ? [] : ([["Failure", failure]] as [string, string][])),
  ]);
}
