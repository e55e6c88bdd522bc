import { optional, parseCount } from "../internal/console/options.ts";
import { columns, type Report, reporting } from "../internal/console/report.ts";
import { findAdditions } from "../internal/signers/findAdditions.ts";
import { openRegistry, type RegistryOptions } from "../internal/signers/openRegistry.ts";
import type { AllowlistState } from "../internal/signers/readAllowlist.ts";
import type { ServiceSigners } from "../internal/signers/serviceSigners.ts";

type Arguments = RegistryOptions & Record<"fromBlock", string | undefined>;

export default reporting(async (args: Arguments, hre) => {
  const fromBlock = optional(args.fromBlock, (text) => parseCount("--from-block", text));
  const { node, state, service } = await openRegistry(args, hre);
  const { registry, signers } = state;
  const additions = await findAdditions(node, { registry, signers, fromBlock, progress: showProgress });
  const listed = signers.map((signer) => ({
    signer,
    sinceBlock: additions.blocks.get(signer) ?? null,
    ...(service && { signs: signer === service.signer }),
  }));
  return describe(state, listed, { service, searchedFrom: additions.searchedFrom });
});

/** Shows progress at a terminal: a search may take minutes. */
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
