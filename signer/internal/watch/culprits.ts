import { type Finding, type ForgedClaim, unattributed } from "./finding.ts";

/** What the brake may conclude from a forged claim. */
interface Blame {
  /** Consumers at which a forged claim that cannot be attributed is held against all signers. */
  readonly consumers: ReadonlySet<string>;
  /** Signers of other services, which are left alone. */
  readonly others: ReadonlySet<string>;
}

/** Finds who of the allowlist is to be removed for forged claims, and notes the claims for which nobody is left. */
export function findCulprits(
  findings: readonly Finding[],
  allowlist: readonly string[],
  blame: Blame,
): readonly string[] {
  const wanted = new Set<string>();
  for (const finding of findings) {
    if (finding.kind !== "forged" || finding.isBraked) continue;
    const listed = suspect(finding, allowlist, blame).filter((signer) => allowlist.includes(signer));
    if (listed.length > 0) for (const signer of listed) wanted.add(signer);
    else finding.isBraked = finding.signer !== unattributed || blame.consumers.has(finding.consumer);
  }
  return [...wanted];
}

function suspect(
  { signer, consumer }: ForgedClaim,
  allowlist: readonly string[],
  { consumers, others }: Blame,
): readonly string[] {
  if (signer !== unattributed) return [signer];
  // Anybody can deploy a contract that tells of claims at our registry: without a signature, they prove nothing.
  return consumers.has(consumer) ? allowlist.filter((each) => !others.has(each)) : [];
}
