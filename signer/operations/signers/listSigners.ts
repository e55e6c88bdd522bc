import { columns } from "../../../console/columns.ts";
import type { Report } from "../../../console/report.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { findAdditions } from "./findAdditions.ts";
import type { AllowlistState } from "./readAllowlist.ts";
import type { ServiceSigners } from "./serviceSigners.ts";

/** Lists the signers on an allowlist, and since when each is there; where a service is known, its own as well. */
export async function listSigners(
  node: Eip1193Connection,
  state: AllowlistState,
  { service, fromBlock }: { service: ServiceSigners | undefined; fromBlock: number | undefined },
): Promise<Report> {
  const { registry, signers } = state;
  const additions = await findAdditions(node, { registry, signers, fromBlock, progress: showProgress });
  const listed = signers.map((signer) => ({
    signer,
    sinceBlock: additions.blocks.get(signer) ?? null,
    ...(service && { signs: signer === service.signer }),
  }));
  return describe(state, listed, { service, searchedFrom: additions.searchedFrom });
}

/** A search may take minutes; where nobody looks on, it is not talked about. */
function showProgress(searchedFrom: number): void {
  if (process.stderr.isTTY && searchedFrom > 0)
    process.stderr.write(`\rSearched back to block ${searchedFrom} …\r`);
}

function describe(
  { registry, owner, ownerIsContract, pendingOwner, signers }: AllowlistState,
  listed: readonly { signer: string; sinceBlock: number | null; signs?: boolean }[],
  { service, searchedFrom }: { service: ServiceSigners | undefined; searchedFrom: number },
): Report {
  const held = [service?.signer, service?.nextSigner].filter((signer) => signer !== undefined);
  return {
    json: {
      ...{ registry, owner, ownerIsContract, pendingOwner: pendingOwner ?? null },
      ...{ signers: listed, searchedFrom, service: service ?? null },
    },
    text: columns([
      ["Registry", registry],
      ["Owner", `${owner}${ownerIsContract ? ", a contract" : ""}`],
      ...(pendingOwner === undefined
        ? []
        : [["Next owner", `${pendingOwner}, which must still call acceptOwnership()`] as const]),
      ...listed.map(({ signer, sinceBlock, signs }) => {
        const since =
          sinceBlock === null
            ? `before block ${searchedFrom} (--from-block searches further)`
            : `since block ${sinceBlock}`;
        return ["Signer", `${signer} ${since}${signs ? `, signs for ${service?.url}` : ""}`] as const;
      }),
      ...(listed.length === 0 ? [["Signer", "none: no verification is valid"] as const] : []),
      ...held
        .filter((signer) => !signers.includes(signer))
        .map((signer) => ["Not listed", `${signer}, a signer of ${service?.url}`] as const),
    ]),
  };
}
