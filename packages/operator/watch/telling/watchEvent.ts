import { type Finding, isProven } from "../judging/findings.ts";

/** A report of a running watch. */
export type WatchEvent =
  | {
      readonly event: "watching";
      readonly registry: string;
      readonly from: number;
      readonly guardian?: string;
    }
  | { readonly event: Finding["kind"] | "undone"; readonly finding: Finding }
  | ({ readonly event: "judged-in-part" } & JudgedInPart)
  | { readonly event: Trouble; readonly problem: string }
  | { readonly event: "judges-again"; readonly block: number }
  | { readonly event: "catching-up"; readonly block: number; readonly of: number }
  | {
      readonly event: "brake-sent";
      readonly signers: readonly string[];
      readonly transactions: readonly string[];
    }
  | { readonly event: "removed"; readonly signer: string };

/** A problem that keeps a watch from its work. */
export type Trouble = "cannot-judge" | "cannot-brake" | "cannot-save" | "cannot-post" | "clock-ahead";

/** Blocks of which some events could not be judged. */
export interface JudgedInPart {
  readonly from: number;
  readonly to: number;
  /** The contracts, at most twenty; none where the node gave no events. */
  readonly addresses: readonly string[];
  readonly problem: string;
}

/** A finding as scripts get it. */
export const findingToJson = ({ kind, foundAt, isTold, isPosting, isBraked, ...found }: Finding): object =>
  found;

/** An event as scripts and a webhook get it. */
export function eventToJson(event: WatchEvent): object {
  const time = new Date().toISOString();
  if (!("finding" in event)) return { time, ...event };
  return { time, event: event.event, ...findingToJson(event.finding) };
}

/** The words before the problem. */
const troubles = {
  "cannot-judge": "CANNOT JUDGE: ",
  "cannot-brake": "CANNOT BRAKE: ",
  "cannot-save": "CANNOT SAVE the position: ",
  "cannot-post": "",
  "clock-ahead": "",
};

/**
 * Describes an event in a sentence.
 *
 * @param named Consumers whose word proves a claim.
 */
export function describeEvent(event: WatchEvent, named: ReadonlySet<string>): string {
  switch (event.event) {
    case "watching":
      return `Watching the claims at the registry ${event.registry} from block ${event.from}${event.guardian === undefined ? "" : `; the guardian ${event.guardian} removes the signer of a forged claim`}.`;
    case "forged":
    case "unproven":
    case "stranger":
      return describeFinding(event.finding, named);
    case "undone":
      return `Undone by a reorganization: ${describeFinding(event.finding, named)}`;
    case "judged-in-part":
      return `Judged in part: blocks ${[`${event.from} to ${event.to}`].concat(event.addresses).join(", ")}. ${event.problem}`;
    case "catching-up":
      return `Judged up to block ${event.block} of ${event.of}.`;
    case "judges-again":
      return `Judges again, up to block ${event.block}.`;
    case "brake-sent":
      return `Sent the removal of ${event.signers.join(", ")}: ${event.transactions.join(", ")}.`;
    case "removed":
      return `The registry refuses the signer ${event.signer} now.`;
    default:
      return troubles[event.event] + event.problem;
  }
}

function describeFinding(finding: Finding, named: ReadonlySet<string>): string {
  const { block, transactionHash, signer } = finding;
  const where = `in block ${block}, transaction ${transactionHash}`;
  if (finding.kind === "stranger") return `UNKNOWN SIGNER ${signer} was added ${where}.`;
  const unsigned = finding.kind === "forged" ? "Unattributed claim" : "Unproven claim";
  const what = isProven(finding, named) ? "FORGED CLAIM" : unsigned;
  return `${what} at ${finding.consumer} ${where}: the audit trail has no verification of ${finding.identityHash}, round ${BigInt(finding.round)}. Signer: ${signer}.`;
}
