import type { Pin } from "../../../signer/index.ts";

/** Converts a pin for scripts. Its cutoff is a string, because it may be too large for a JSON number. */
export function toJson({ chainId, consumer, policyHash, cutoffBlock, pinnedAt }: Pin): object {
  return { chainId, consumer, policyHash, cutoffBlock: String(cutoffBlock), pinnedAt };
}

/** Describes a pin for people. */
export function describePin({ chainId, consumer, policyHash, cutoffBlock, pinnedAt }: Pin): string {
  const time = new Date(pinnedAt * 1000).toISOString();
  return `${consumer}  chain ${chainId}  policy ${policyHash}  cutoff ${cutoffBlock}  since ${time}`;
}
