/** The cost of a claim. */
export interface Figures {
  /** The gas in the receipt: execution and call data on the L2, without an OP Stack chain's charge for the L1. */
  readonly gas: number;
  /** The length of the transaction's data, on which that charge depends. */
  readonly callDataBytes: number;
}

/** The compared claims in the order of the table: name → description. */
export const claims: Readonly<Record<string, string>> = {
  "SignatureClaim.claim": "OpenZeppelin EIP-712: one signer, fixed",
  "MerkleClaim.claim": "OpenZeppelin Merkle proof, list of 2^20 wallets",
  "MinimalConsumer1.enroll": "**ours**, 1 condition",
  "MinimalConsumer2.enroll": "**ours**, 2 conditions",
  "MinimalConsumer4.enroll": "**ours**, 4 conditions",
  "EAS.attestByDelegation": "EAS 1.4, delegated attestation whose resolver is the claim",
  "MembershipClaim.claim": "Semaphore v4, proof for a group of up to 2^20 members",
  "SignatureMint.claim": "OpenZeppelin EIP-712, mint of an ERC-721 token",
  "MembershipPass.mint": "**ours**, 1 condition, mint of an ERC-721 token",
};

/** Renders the figures as a Markdown table. */
export function table(figures: Readonly<Record<string, Figures>>): string {
  const rows = Object.entries(claims).map(([name, what]) => {
    const { gas, callDataBytes } = figures[name] ?? { gas: Number.NaN, callDataBytes: Number.NaN };
    return [`\`${name}\``, what, group(gas), String(callDataBytes)];
  });
  const head = ["claim", "what it is", "gas", "bytes of call data"];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, i) => (i < 2 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

const group = (gas: number) => String(gas).replace(/\B(?=(\d{3})+$)/g, " ");
