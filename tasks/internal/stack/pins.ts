import type { Pin } from "../../../signer/index.ts";

/** A pin for scripts: its cutoff may have more digits than a JSON number holds. */
export function toJson({ chainId, consumer, policyHash, cutoffBlock, pinnedAt }: Pin): object {
  return { chainId, consumer, policyHash, cutoffBlock: String(cutoffBlock), pinnedAt };
}

/** A pin for people. */
export function describePin({ chainId, consumer, policyHash, cutoffBlock, pinnedAt }: Pin): string {
  const time = new Date(pinnedAt * 1000).toISOString();
  return `${consumer}  chain ${chainId}  policy ${policyHash}  cutoff ${cutoffBlock}  since ${time}`;
}
