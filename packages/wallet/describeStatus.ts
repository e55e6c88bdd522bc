import { columns } from "@hardhat-identity/console/columns";
import type { CallsStatus } from "@hardhat-identity/protocol/eip5792";

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
