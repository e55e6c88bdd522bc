import { columns } from "@hardhat-identity/console/columns";
import type { Report } from "@hardhat-identity/console/report";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { isLocalNode } from "@hardhat-identity/protocol/chain/localNode";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { Arguments } from "hardhat-identity/options";
import type { AllowlistState } from "./chain/readAllowlist.ts";
import { findAddition, readGuard } from "./chain/readGuard.ts";
import { openRegistry } from "./openRegistry.ts";
import { type Change, type Known, planChange } from "./plan/planChange.ts";
import {
  describeSchedule,
  type GuardedStep,
  planCancellation,
  planGuardedStep,
  readSchedule,
  type Schedule,
} from "./plan/planGuardedStep.ts";
import { type Step, writeCall } from "./plan/plannedCall.ts";
import { carryOut } from "./send/sendStep.ts";

/**
 * Changes an allowlist as the registry's owner, or does the next step to it at the `AccessManager` that owns the registry.
 * Describes the transaction for a sender that is a contract.
 */
export async function changeAllowlist(
  kind: "add" | "remove",
  args: Arguments<"signers add">,
  hre: HardhatRuntimeEnvironment,
): Promise<Report> {
  const signer = parseAddress("--signer", args.signer);
  const { node, state, service } = await openRegistry(args, hre);
  const change = { kind, signer, yes: args.yes };
  const step = await planStep(node, state, change, { isLocal: () => isLocalNode(node), service });
  if (isAtManager(step) && step.wait !== undefined) return describeEarly(step, step.wait, state, signer);
  const { sent, unsent, refused } = await carryOut({ hre, node, args }, step, state);
  if (sent !== undefined) return await describeSent(node, step, state, { kind, signer, sent });
  const { registry, owner } = state;
  const guarded = isAtManager(step) && { step: step.kind, from: step.from };
  return {
    json: { registry, signer, sent: false, owner, ...unsent.json, ...guarded },
    text: columns(unsent.rows),
    refused,
  };
}

const isAtManager = (step: Step | GuardedStep): step is GuardedStep => "kind" in step;

async function planStep(
  node: Eip1193Connection,
  state: AllowlistState,
  change: Change,
  known: Known,
): Promise<Step | GuardedStep> {
  const { owner: from, ownerIsContract, registry, isGuarded } = state;
  if (isGuarded && change.kind === "remove" && !state.signers.includes(change.signer)) {
    const cancellation = await planCancellation(node, state, change.signer);
    if (cancellation !== undefined) return cancellation;
  }
  const call = await planChange(node, state, change, known);
  if (isGuarded) return await planGuardedStep(node, state, call);
  return {
    from,
    fromIsContract: ownerIsContract,
    sender: `the registry's owner ${from}`,
    call,
    title: writeCall(call),
    place: `the registry ${registry}`,
  };
}

async function describeSent(
  node: Eip1193Connection,
  step: Step | GuardedStep,
  { registry, owner: manager, signers }: AllowlistState,
  about: {
    kind: Change["kind"];
    signer: string;
    sent: { transactionHash: string; blockNumber: number };
  },
): Promise<Report> {
  const { kind, signer, sent } = about;
  const report = (more: object, rows: readonly (readonly [string, string])[]): Report => ({
    json: { registry, signer, sent: true, ...sent, ...more },
    text: columns([...rows, ["Transaction", sent.transactionHash]]),
  });
  if (isAtManager(step) && step.kind === "cancel") {
    const cancelled = `${writeCall(step.change)}, which ${step.caller} had scheduled`;
    return report({ step: step.kind }, [["Cancelled", cancelled]]);
  }
  if (isAtManager(step) && step.kind === "schedule") {
    const schedule = await readSchedule(node, { registry, manager }, step);
    const next = `the same command, ${describeSchedule(schedule)}`;
    return report({ step: step.kind, ...schedule }, [
      ["Scheduled", writeCall(step.change)],
      ["Next", next],
    ]);
  }
  const done = `${signer} at the registry ${registry}, since block ${sent.blockNumber}`;
  const more = isAtManager(step) ? { step: step.kind } : {};
  if (kind === "remove") {
    const place = { manager, registry };
    const { json, rows } = isAtManager(step)
      ? await describeReturn(node, place, signer)
      : { json: {}, rows: [] };
    return report({ ...more, ...json }, [["Removed", done], ...rows]);
  }
  const others =
    "a service with another master secret gives people a second identity: identity-signer check --other";
  return report(more, [["Added", done], ...(signers.length > 0 ? [["Compare", others] as const] : [])]);
}

/** Describes a scheduled addition of a signer that was removed. The removal is done, whatever the node says of the events. */
async function describeReturn(
  node: Eip1193Connection,
  place: { readonly manager: string; readonly registry: string },
  signer: string,
) {
  const guard = await readGuard(node, place).catch(() => undefined);
  const addition = guard && findAddition(guard, place.registry, signer);
  const rowsOf = (scheduled: string): (readonly [string, string])[] => [
    ["Scheduled", scheduled],
    ["Next", "the same command, to cancel that"],
  ];
  if (addition !== undefined)
    return { json: { scheduled: addition }, rows: rowsOf(`${addition.call} by ${addition.caller}`) };
  const unknown = rowsOf("perhaps its addition: the node did not return all events");
  return { json: {}, rows: guard?.isWhole ? [] : unknown };
}

/** Describes an operation whose time has not come. */
function describeEarly(
  { change, caller }: GuardedStep,
  schedule: Schedule,
  { registry, owner }: AllowlistState,
  signer: string,
): Report {
  return {
    json: { registry, signer, sent: false, owner, step: "wait", ...schedule },
    text: columns([
      ["Not sent", `${caller} has scheduled ${writeCall(change)}`],
      ["Next", `the same command, ${describeSchedule(schedule)}`],
    ]),
    refused: true,
  };
}
