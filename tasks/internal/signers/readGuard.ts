import { id } from "ethers";
import {
  accessManagerAbi,
  adminRole,
  askAccessManager,
  publicRole,
  type Question,
} from "../../../chain/accessManager.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { registryInterface } from "../consumer/registryInterface.ts";
import { type FoundEvent, type SearchRange, searchEvents } from "./searchEvents.ts";

/** What somebody may do at a guarded registry. */
export type Right = "add" | "remove" | "cancel" | "administer";

/** Somebody with a right at a guarded registry. */
export interface Member {
  /** An address, or `anybody`. */
  readonly account: string;
  readonly may: Right;
  /** Seconds that it must wait after it has scheduled the call; 0 to act at once. */
  readonly delay: number;
}

/** A call that waits to be executed. */
export interface ScheduledOperation {
  /** Such as `addSigner(0x…)`. */
  readonly call: string;
  readonly target: string;
  readonly data: string;
  /** Who scheduled it, and can execute it. */
  readonly caller: string;
  /** Unix seconds, as is the other time. */
  readonly executableFrom: number;
  readonly executableUntil: number;
}

/** What the `AccessManager` that owns a registry allows, as far back as its events were searched. */
export interface Guard {
  readonly members: readonly Member[];
  readonly operations: readonly ScheduledOperation[];
  /** The earliest block that was searched. */
  readonly searchedFrom: number;
}

const topics = [
  id("RoleGranted(uint64,address,uint32,uint48,bool)"),
  id("OperationScheduled(bytes32,uint32,uint48,address,address,bytes)"),
];

/**
 * Reads who may do what at the `AccessManager` that owns a registry, and what is scheduled there. Events name the accounts
 * and the operations; what they may, and when, is asked of the contract.
 */
export async function readGuard(
  node: Eip1193Connection,
  { manager, registry, ...range }: SearchRange & { manager: string; registry: string },
): Promise<Guard> {
  const { events, searchedFrom } = await findEvents(node, manager, range);
  const granted = events.filter(({ name }) => name === "RoleGranted").map(({ args }) => args);
  const scheduled = new Map(
    events.filter(({ name }) => name === "OperationScheduled").map(({ args }) => [args.operationId, args]),
  );
  const roles = await readRoles(node, { manager, registry });
  const held = roles.flatMap(({ may, role }) => {
    const accounts = granted.filter(({ roleId }) => roleId === role).map(({ account }) => String(account));
    return [...new Set(accounts)].map((account) => ({ may, role, account }));
  });
  const [lasts, ...answers] = await askAccessManager(node, manager, [
    ["expiration"],
    ...held.map(({ role, account }): Question => ["hasRole", role, account]),
    ...[...scheduled.keys()].map((id): Question => ["getSchedule", id]),
  ]);
  const members = held.flatMap(({ may, account }, index): Member[] => {
    const [isMember, delay] = answers[index] ?? [];
    return isMember ? [{ account, may, delay: Number(delay) }] : [];
  });
  const everybody = roles
    .filter(({ role }) => role === publicRole)
    .map(({ may }): Member => ({ account: "anybody", may, delay: 0 }));
  const operations = [...scheduled.values()].flatMap(({ caller, target, data }, index) => {
    const executableFrom = Number(answers[held.length + index]?.[0]);
    // Executed, cancelled or expired.
    if (executableFrom === 0) return [];
    const call = describeCall({ target, data }, { manager, registry });
    return [
      { call, target, data, caller, executableFrom, executableUntil: executableFrom + Number(lasts?.[0]) },
    ];
  });
  return { members: [...members, ...everybody], operations, searchedFrom };
}

/** The roles that matter for a registry. */
async function readRoles(
  node: Eip1193Connection,
  { manager, registry }: { manager: string; registry: string },
): Promise<{ may: Right; role: bigint }[]> {
  const roleOf = (name: string): Question => [
    "getTargetFunctionRole",
    registry,
    registryInterface.getFunction(name)?.selector,
  ];
  const asked = await askAccessManager(node, manager, [roleOf("addSigner"), roleOf("removeSigner")]);
  const [adds, removes] = asked.map(([role]) => BigInt(role));
  const [cancels] = (await askAccessManager(node, manager, [["getRoleGuardian", adds]])).flat();
  return [
    { may: "add", role: adds ?? adminRole },
    { may: "remove", role: removes ?? adminRole },
    { may: "cancel", role: BigInt(cancels) },
    { may: "administer", role: adminRole },
  ];
}

async function findEvents(node: Eip1193Connection, manager: string, range: SearchRange) {
  const found: FoundEvent[] = [];
  const search = { ...range, address: manager, topics: [topics] };
  const searchedFrom = await searchEvents(node, search, (events) => {
    found.unshift(...events);
    return haveDeployment(node, manager, events);
  });
  const events = found.flatMap(({ topics, data }) => accessManagerAbi.parseLog({ topics, data }) ?? []);
  return { events, searchedFrom };
}

/** Whether one of the events is of the transaction that deployed the manager: there are none before. */
async function haveDeployment(
  node: Eip1193Connection,
  manager: string,
  events: readonly FoundEvent[],
): Promise<boolean> {
  const [first] = events;
  if (first === undefined) return false;
  const params = [first.transactionHash];
  const receipt = await node.request({ method: "eth_getTransactionReceipt", params });
  const { contractAddress } = Object(receipt) as { contractAddress?: string | null };
  return contractAddress?.toLowerCase() === manager.toLowerCase();
}

function describeCall(
  { target, data }: { target: string; data: string },
  { manager, registry }: { manager: string; registry: string },
): string {
  const abi = target === registry ? registryInterface : target === manager ? accessManagerAbi : undefined;
  const parsed = abi?.parseTransaction({ data });
  if (!parsed) return `${data.slice(0, 10)}… of ${target}`;
  return `${parsed.name}(${parsed.args.join(", ")})`;
}
