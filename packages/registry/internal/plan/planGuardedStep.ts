import { showTime } from "@hardhat-identity/console/time";
import {
  accessManagerAbi,
  askAccessManager,
  operationId,
  type Question,
} from "@hardhat-identity/protocol/chain/accessManager";
import { readChainTime } from "@hardhat-identity/protocol/chain/clock";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { describeRevert } from "@hardhat-identity/protocol/reverts";
import { registryInterface } from "hardhat-identity/internal/consumer/registryInterface";
import { simulate } from "hardhat-identity/internal/consumer/simulate";
import { readAccounts } from "hardhat-identity/internal/wallet/readAccounts";
import { type AllowlistState, isContract } from "../chain/readAllowlist.ts";
import { findAddition, readGuard } from "../chain/readGuard.ts";
import { type PlannedCall, planCall, type Step, writeCall } from "./plannedCall.ts";

/** A step at the `AccessManager` that owns a registry. */
export interface GuardedStep extends Step {
  readonly kind: "schedule" | "execute" | "cancel";
  /** The call of the registry that it is about. */
  readonly change: PlannedCall;
  /** The account that has scheduled the call, or will. */
  readonly caller: string;
  /** Set if it is scheduled, and its time has not come. */
  readonly wait?: Schedule;
}

/** When a scheduled operation can be executed. */
export interface Schedule {
  /** Unix seconds, as is the other time. */
  readonly executableFrom: number;
  readonly executableUntil: number;
}

/**
 * Plans the next step for a call of a guarded registry: to execute it, or to schedule it if there is a delay. The sender
 * is an account of the network if one has the right, or else another account that has it.
 */
export async function planGuardedStep(
  node: Eip1193Connection,
  { registry, owner: manager }: AllowlistState,
  change: PlannedCall,
): Promise<GuardedStep> {
  const chances = await findChances(node, { manager, registry, change });
  const [chance] = chances;
  if (chance === undefined) {
    const [closed] = await askAccessManager(node, manager, [["isTargetClosed", registry]]);
    if (closed?.[0])
      throw new InvalidInputError(
        `The AccessManager ${manager} has closed the registry ${registry}: nobody may call ${change.name}, until an administrator calls setTargetClosed.`,
      );
    throw new InvalidInputError(
      `The AccessManager ${manager} lets no account call ${change.name}, by the events that were found.`,
    );
  }
  const { account: caller, isImmediate, executableFrom } = chance;
  const kind = isImmediate || executableFrom > 0 ? "execute" : "schedule";
  const args = [registry, change.data];
  const call = planCall(manager, accessManagerAbi, kind, kind === "execute" ? args : [...args, 0]);
  const senders = chances
    .filter((other) => other.isImmediate === isImmediate && other.executableFrom === executableFrom)
    .map(({ account }) => account);
  const step = await describeStep(node, { senders, call, kind, change, caller });
  const wait = executableFrom === 0 ? undefined : await readSchedule(node, { registry, manager }, step);
  const { now } = await readChainTime(node);
  if (wait !== undefined && wait.executableFrom > now) return { ...step, wait };
  await requireSuccess(node, step);
  return step;
}

/** Plans to cancel the addition of a signer; `undefined` if none is scheduled. */
export async function planCancellation(
  node: Eip1193Connection,
  { registry, owner: manager }: AllowlistState,
  signer: string,
): Promise<GuardedStep | undefined> {
  const change = planCall(registry, registryInterface, "addSigner", [signer]);
  const guard = await readGuard(node, { manager, registry });
  const { members, isWhole, searchedFrom } = guard;
  const operation = findAddition(guard, registry, signer);
  if (operation === undefined && isWhole) return undefined;
  if (operation === undefined) {
    throw new InvalidInputError(
      `${signer} is not on the allowlist of the registry ${registry}. Its addition may be scheduled: the node returned the events of the AccessManager ${manager} only back to block ${searchedFrom}. Use a node that answers eth_getLogs for its whole history.`,
    );
  }
  const { caller } = operation;
  const may = members.filter(({ may }) => may === "cancel" || may === "administer");
  const all = [...new Set([caller, ...may.map(({ account }) => account)])];
  const { accounts: own } = await readAccounts(node);
  const ours = all.filter((account) => own.includes(account));
  const call = planCall(manager, accessManagerAbi, "cancel", [caller, registry, change.data]);
  const senders = ours.length > 0 ? ours : all;
  const step = await describeStep(node, { senders, call, kind: "cancel", change, caller });
  await requireSuccess(node, step);
  return step;
}

/** Reads when what a step has scheduled can be executed. */
export async function readSchedule(
  node: Eip1193Connection,
  { registry, manager }: { readonly registry: string; readonly manager: string },
  { caller, change }: Pick<GuardedStep, "caller" | "change">,
): Promise<Schedule> {
  const id = operationId(caller, registry, change.data);
  const [from, lasts] = await askAccessManager(node, manager, [["getSchedule", id], ["expiration"]]);
  const executableFrom = Number(from?.[0]);
  return { executableFrom, executableUntil: executableFrom + Number(lasts?.[0]) };
}

/** A schedule as people read it. */
export const describeSchedule = ({ executableFrom, executableUntil }: Schedule): string =>
  `from ${showTime(executableFrom)} to ${showTime(executableUntil)}`;

/** An account's right to make a call. */
interface Chance {
  readonly account: string;
  readonly isImmediate: boolean;
  /** Unix seconds; 0 if it has not scheduled the call. */
  readonly executableFrom: number;
}

/** Finds who may send a call, best first: the network's accounts if any of them may, or else all who may. */
async function findChances(
  node: Eip1193Connection,
  about: { manager: string; registry: string; change: PlannedCall },
): Promise<Chance[]> {
  const { accounts: own } = await readAccounts(node);
  const ours = await readChances(node, about, own);
  if (ours.length > 0) return ours;
  const { members } = await readGuard(node, about);
  const accounts = new Set(members.map(({ account }) => account).filter((each) => each.startsWith("0x")));
  return await readChances(node, about, [...accounts]);
}

async function readChances(
  node: Eip1193Connection,
  { manager, registry, change }: { manager: string; registry: string; change: PlannedCall },
  accounts: readonly string[],
): Promise<Chance[]> {
  const questions = accounts.flatMap((account): Question[] => [
    ["canCall", account, registry, change.data.slice(0, 10)],
    ["getSchedule", operationId(account, registry, change.data)],
  ]);
  const answers = await askAccessManager(node, manager, questions);
  const chances = accounts.flatMap((account, index) => {
    const [isImmediate, delay] = answers[2 * index] ?? [];
    const executableFrom = Number(answers[2 * index + 1]?.[0]);
    return isImmediate || delay > 0n ? [{ account, isImmediate, executableFrom }] : [];
  });
  return chances.sort((one, other) => rank(one) - rank(other));
}

/** First who may act at once, then who has waited longest. */
const rank = ({ isImmediate, executableFrom }: Chance): number =>
  isImmediate ? 0 : executableFrom || Number.MAX_SAFE_INTEGER;

async function describeStep(
  node: Eip1193Connection,
  about: Pick<GuardedStep, "kind" | "change" | "caller" | "call"> & { readonly senders: readonly string[] },
): Promise<GuardedStep> {
  const { senders, ...step } = about;
  const [from = ""] = senders;
  return {
    ...step,
    from,
    sender: senders.join(" or "),
    fromIsContract: await isContract(node, from),
    title: `${step.kind}(${writeCall(step.change)})`,
    place: `the AccessManager ${step.call.to}`,
  };
}

async function requireSuccess(node: Eip1193Connection, { from, call, title, place }: Step): Promise<void> {
  const result = await simulate(node, { from, to: call.to, data: call.data }, "pending");
  if (!("revert" in result)) return;
  const abis = [accessManagerAbi, registryInterface].map(({ fragments }) => fragments);
  const { text, meaning } = describeRevert(result.revert, { abis });
  throw new InvalidInputError(`${from} cannot send ${title} to ${place}: ${meaning ?? text}`);
}
