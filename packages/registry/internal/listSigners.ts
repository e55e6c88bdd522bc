import { columns } from "@hardhat-identity/console/columns";
import { printPassing } from "@hardhat-identity/console/print";
import type { Report } from "@hardhat-identity/console/report";
import type { ServiceSigners } from "@hardhat-identity/console/serviceSigners";
import { showTime } from "@hardhat-identity/console/time";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { findAdditions } from "./chain/findAdditions.ts";
import type { AllowlistState } from "./chain/readAllowlist.ts";
import { type Guard, type Member, type Right, readGuard } from "./chain/readGuard.ts";

/**
 * Lists the signers on an allowlist, and since when each is there; where a service is known, its own as well. Of a guarded
 * registry, it also lists who may do what, and what is scheduled.
 */
export async function listSigners(
  node: Eip1193Connection,
  state: AllowlistState,
  { service, fromBlock }: { service: ServiceSigners | undefined; fromBlock: number | undefined },
): Promise<Report> {
  const { registry, signers, owner: manager } = state;
  const search = { registry, fromBlock, progress: showProgress };
  const additions = await findAdditions(node, { ...search, signers });
  const guard = state.isGuarded ? await readGuard(node, { ...search, manager }) : undefined;
  const listed = signers.map((signer) => ({
    signer,
    sinceBlock: additions.blocks.get(signer) ?? null,
    ...(service && { signs: signer === service.signer }),
  }));
  return describeAllowlist(state, listed, { service, guard, searchedFrom: additions.searchedFrom });
}

/** A search may take minutes. At no terminal, nobody waits for it. */
function showProgress(searchedFrom: number): void {
  if (process.stderr.isTTY && searchedFrom > 0) printPassing(`Searched back to block ${searchedFrom} …`);
}

function describeAllowlist(
  { registry, owner, ownerIsContract, isGuarded, pendingOwner, signers }: AllowlistState,
  listed: readonly { signer: string; sinceBlock: number | null; signs?: boolean }[],
  known: { service: ServiceSigners | undefined; guard: Guard | undefined; searchedFrom: number },
): Report {
  const { service, guard, searchedFrom } = known;
  const contract = ownerIsContract ? ", a contract" : "";
  const held = [service?.signer, service?.nextSigner].filter((signer) => signer !== undefined);
  return {
    json: {
      registry,
      owner,
      ownerIsContract,
      pendingOwner: pendingOwner ?? null,
      signers: listed,
      searchedFrom,
      service: service ?? null,
      ...(guard && { guard }),
    },
    text: columns([
      ["Registry", registry],
      ["Owner", `${owner}${isGuarded ? ", an AccessManager" : contract}`],
      ...(pendingOwner === undefined
        ? []
        : [["Next owner", `${pendingOwner}, which must still call acceptOwnership()`] as const]),
      ...listed.flatMap(({ signer, sinceBlock, signs }) => {
        const since = describeSince(sinceBlock, searchedFrom);
        // Both lines fit a terminal of 80 columns.
        return [
          ["Signer", signer] as const,
          ["", `${since}${signs ? `, signs for ${service?.url}` : ""}`] as const,
        ];
      }),
      ...(listed.length === 0 ? [["Signer", "none: no verification is valid"] as const] : []),
      ...held
        .filter((signer) => !signers.includes(signer))
        .map((signer) => ["Not listed", `${signer}, a signer of ${service?.url}`] as const),
      ...(guard === undefined ? [] : describeGuard(guard)),
    ]),
  };
}

function describeSince(sinceBlock: number | null, searchedFrom: number): string {
  if (sinceBlock !== null) return `since block ${sinceBlock}`;
  if (searchedFrom > 0) return `before block ${searchedFrom} (--from-block searches further)`;
  return "the node did not return the event of its addition";
}

type Row = readonly [string, string];

const doing: Readonly<Record<Right, string>> = {
  add: "May add",
  remove: "May remove",
  cancel: "May cancel",
  administer: "Administers",
};

/** A cancellation needs no wait, even if the role has a delay. */
function describeMember({ account, may, delay, begins, hasCode }: Member): string {
  const unit = delay % 3_600 === 0 ? `${delay / 3_600} h` : `${delay} s`;
  const wait = may === "cancel" || delay === 0 ? "at once" : `${unit} after scheduling it`;
  return [
    account,
    ...(hasCode ? ["a contract or delegated account, whose own rules this command does not know"] : []),
    wait,
    ...(begins === undefined ? [] : [`from ${showTime(begins)}`]),
  ].join(", ");
}

function describeGuard({ members, operations, delays, isClosed, searchedFrom, isWhole }: Guard): Row[] {
  const rows = members.map((member): Row => [doing[member.may], describeMember(member)]);
  if (isClosed)
    rows.push(["Closed", "nobody may add or remove signers, until an administrator calls setTargetClosed"]);
  for (const { call, caller, executableFrom, executableUntil } of operations) {
    const times = `executable from ${showTime(executableFrom)} to ${showTime(executableUntil)}`;
    rows.push(["Scheduled", `${call} by ${caller}, ${times}`]);
  }
  for (const { call, effectiveFrom } of delays) {
    rows.push(["Delay", `${call}, effective from ${showTime(effectiveFrom)}`]);
  }
  if (isWhole) return rows;
  const before =
    searchedFrom > 0
      ? `granted before block ${searchedFrom} (--from-block searches further)`
      : "the node did not return the events of the AccessManager's deployment";
  rows.push(["Members", `${members.length > 0 ? "perhaps more" : "unknown"}: ${before}`]);
  return rows;
}
