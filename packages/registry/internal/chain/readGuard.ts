import {
  accessManagerAbi,
  adminRole,
  askAccessManager,
  publicRole,
  type Question,
} from "@hardhat-identity/protocol/chain/accessManager";
import { readChainTime } from "@hardhat-identity/protocol/chain/clock";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import { membersOf } from "@hardhat-identity/protocol/json";
import { id, type Result } from "ethers";
import { readCode } from "hardhat-identity/internal/consumer/erc1967";
import { registryInterface } from "hardhat-identity/internal/consumer/registryInterface";
import { type FoundEvent, type SearchRange, searchEvents } from "./searchEvents.ts";

/** A right at a guarded registry. An administrator can get every right, or give the registry away. */
export type Right = "add" | "remove" | "cancel" | "administer";

/** Somebody who has a right at a guarded registry, or will have it. */
export interface Member {
  /** An address, or `anybody`. */
  readonly account: string;
  readonly may: Right;
  /**
   * Seconds that it must wait after it has scheduled the call; 0 to act at once. Where a shorter delay is about to take
   * effect, that one.
   */
  readonly delay: number;
  /** Unix seconds; missing if the right has begun. */
  readonly begins?: number;
  /** Set if the account has code: nothing here tells who controls it. */
  readonly hasCode?: true;
}

/** A call that waits to be executed. */
export interface ScheduledOperation {
  /** Such as `addSigner(0x…)`. */
  readonly call: string;
  readonly target: string;
  readonly data: string;
  /** The account that scheduled it, and can execute it. */
  readonly caller: string;
  /** Unix seconds, as is the other time. */
  readonly executableFrom: number;
  readonly executableUntil: number;
}

/** A delay of the `AccessManager` itself, which this package sets nowhere. */
export interface ManagerDelay {
  /** The call that set it, such as `setGrantDelay(0, 86400)`. */
  readonly call: string;
  /** Unix seconds. */
  readonly effectiveFrom: number;
}

/** The rights and operations of the `AccessManager` that owns a registry, as far back as its events were searched. */
export interface Guard {
  readonly members: readonly Member[];
  readonly operations: readonly ScheduledOperation[];
  readonly delays: readonly ManagerDelay[];
  /** Whether nobody may call the registry, until an administrator calls `setTargetClosed`. */
  readonly isClosed: boolean;
  /** The earliest block that was searched. */
  readonly searchedFrom: number;
  /** Whether the node returned the events back to the manager's deployment. Otherwise, somebody may be missing. */
  readonly isWhole: boolean;
}

const topics = [
  id("RoleGranted(uint64,address,uint32,uint48,bool)"),
  id("RoleGrantDelayChanged(uint64,uint32,uint48)"),
  id("TargetAdminDelayUpdated(address,uint32,uint48)"),
  id("OperationScheduled(bytes32,uint32,uint48,address,address,bytes)"),
];

/**
 * The manager's own functions. The guardian of a role that is set for one of them may cancel a scheduled call of it, though
 * the role itself gives no right to it.
 */
const managerFunctions = [
  "labelRole",
  "setRoleAdmin",
  "setRoleGuardian",
  "setGrantDelay",
  "grantRole",
  "revokeRole",
  "setTargetAdminDelay",
  "setTargetClosed",
  "setTargetFunctionRole",
  "updateAuthority",
].map((name) => accessManagerAbi.getFunction(name)?.selector);

type Place = { readonly manager: string; readonly registry: string };

/**
 * Reads who may do what at the `AccessManager` that owns a registry, and what is scheduled there. Events name the accounts
 * and the operations; what they may, and when, is asked of the contract.
 */
export async function readGuard(
  node: Eip1193Connection,
  { manager, registry, ...range }: SearchRange & Place,
): Promise<Guard> {
  const place = { manager, registry };
  const { events, searchedFrom, isWhole } = await findEvents(node, manager, range);
  const argsOf = (event: string) => events.filter(({ name }) => name === event).map(({ args }) => args);
  const { now } = await readChainTime(node);
  const [closed] = await askAccessManager(node, manager, [["isTargetClosed", registry]]);
  const roles = await readRoles(node, place);
  const members = await readMembers(node, manager, { roles, granted: argsOf("RoleGranted"), now });
  const operations = await readOperations(node, place, argsOf("OperationScheduled"));
  const delays = findDelays(place, {
    granting: argsOf("RoleGrantDelayChanged").filter(({ roleId }) =>
      roles.some(({ role }) => role === roleId),
    ),
    administering: argsOf("TargetAdminDelayUpdated"),
    now,
  });
  return { members, operations, delays, isClosed: closed?.[0] === true, searchedFrom, isWhole };
}

/** Finds the scheduled addition of a signer. */
export function findAddition(
  { operations }: Guard,
  registry: string,
  signer: string,
): ScheduledOperation | undefined {
  const addition = registryInterface.encodeFunctionData("addSigner", [signer]);
  return operations.find(({ target, data }) => target === registry && data === addition);
}

/** A right, and the role that has it. */
interface RoleOfRight {
  readonly may: Right;
  readonly role: bigint;
}

/**
 * Reads which accounts have the roles, or will have them.
 *
 * @param found.granted The arguments of the events that granted a role. An account may have lost it since.
 * @param found.now The chain's time, unix seconds.
 */
async function readMembers(
  node: Eip1193Connection,
  manager: string,
  { roles, granted, now }: { roles: readonly RoleOfRight[]; granted: readonly Result[]; now: number },
): Promise<Member[]> {
  const held = roles.flatMap(({ may, role }) => {
    const accounts = granted.filter(({ roleId }) => roleId === role).map(({ account }) => String(account));
    return [...new Set(accounts)].map((account) => ({ may, role, account }));
  });
  const questions = held.map(({ role, account }): Question => ["getAccess", role, account]);
  const answers = await askAccessManager(node, manager, questions);
  const withCode = await findAccountsWithCode(
    node,
    held.map(({ account }) => account),
  );
  const members = held.flatMap(({ may, account }, index): Member[] => {
    const [since = 0n, delay = 0n, pendingDelay = 0n, effect = 0n] = answers[index] ?? [];
    if (since === 0n) return [];
    const least = effect > 0n && pendingDelay < delay ? pendingDelay : delay;
    return [
      {
        account,
        may,
        delay: Number(least),
        ...(Number(since) > now && { begins: Number(since) }),
        ...(withCode.has(account) && { hasCode: true }),
      },
    ];
  });
  const everybody = roles
    .filter(({ role }) => role === publicRole)
    .map(({ may }): Member => ({ account: "anybody", may, delay: 0 }));
  return [...members, ...everybody];
}

/**
 * Reads which operations still wait to be executed.
 *
 * @param scheduled The arguments of the events that scheduled one.
 */
async function readOperations(
  node: Eip1193Connection,
  place: Place,
  scheduled: readonly Result[],
): Promise<ScheduledOperation[]> {
  const byId = new Map(scheduled.map((args) => [args.operationId, args]));
  const [expiration] = await askAccessManager(node, place.manager, [["expiration"]]);
  const lasts = Number(expiration?.[0]);
  // For a later one, `getSchedule` reverts: its end overflows. Nobody can execute it before that time.
  const asked = [...byId].filter(([, { schedule }]) => Number(schedule) + lasts < 2 ** 48);
  const questions = asked.map(([id]): Question => ["getSchedule", id]);
  const answers = await askAccessManager(node, place.manager, questions);
  return asked.flatMap(([, { caller, target, data }], index) => {
    const executableFrom = Number(answers[index]?.[0]);
    // Executed, cancelled or expired.
    if (executableFrom === 0) return [];
    const call = describeCall({ target, data }, place);
    return [{ call, target, data, caller, executableFrom, executableUntil: executableFrom + lasts }];
  });
}

/** Finds the last delay that somebody set for each role and target, unless it is 0 and has taken effect. */
function findDelays(
  { manager, registry }: Place,
  set: { granting: readonly Result[]; administering: readonly Result[]; now: number },
): ManagerDelay[] {
  const granting = set.granting.map(({ roleId, delay, since }) => ({
    name: "setGrantDelay",
    of: roleId,
    delay,
    since,
  }));
  const administering = set.administering
    .filter(({ target }) => target === registry || target === manager)
    .map(({ target, delay, since }) => ({ name: "setTargetAdminDelay", of: target, delay, since }));
  const last = new Map([...granting, ...administering].map((each) => [`${each.name} ${each.of}`, each]));
  return [...last.values()]
    .filter(({ delay, since }) => delay > 0n || Number(since) > set.now)
    .map(({ name, of, delay, since }) => ({
      call: `${name}(${of}, ${delay})`,
      effectiveFrom: Number(since),
    }));
}

/**
 * The roles that matter for a registry. An administrator is also somebody who may grant one of the roles, or transfer the
 * ownership.
 */
async function readRoles(node: Eip1193Connection, { manager, registry }: Place) {
  const ask = async (...questions: Question[]) =>
    (await askAccessManager(node, manager, questions)).map(([role]) => BigInt(role));
  const roleOf = (name: string): Question => [
    "getTargetFunctionRole",
    registry,
    registryInterface.getFunction(name)?.selector,
  ];
  const [adds = adminRole, removes = adminRole, transfers = adminRole] = await ask(
    roleOf("addSigner"),
    roleOf("removeSigner"),
    roleOf("transferOwnership"),
  );
  const ofManager = await ask(
    ...managerFunctions.map((selector): Question => ["getTargetFunctionRole", manager, selector]),
  );
  const guarded = [...new Set([adds, removes, transfers, ...ofManager])];
  const cancels = await ask(...guarded.map((role): Question => ["getRoleGuardian", role]));
  const administer = new Set([adminRole, transfers]);
  for (let asked = [adds, removes, transfers, ...cancels]; asked.length > 0; ) {
    const admins = await ask(...asked.map((role): Question => ["getRoleAdmin", role]));
    asked = admins.filter((role) => !administer.has(role));
    for (const role of asked) administer.add(role);
  }
  const roles: RoleOfRight[] = [
    { may: "add", role: adds },
    { may: "remove", role: removes },
  ];
  // The administrators may do so anyway.
  const others = cancels.filter((role, i) => i === 0 || role !== adminRole);
  for (const role of new Set(others)) roles.push({ may: "cancel", role });
  for (const role of administer) roles.push({ may: "administer", role });
  return roles;
}

async function findEvents(node: Eip1193Connection, manager: string, range: SearchRange) {
  const found: FoundEvent[] = [];
  const search = { ...range, address: manager, topics: [topics] };
  let isWhole = false;
  const searchedFrom = await searchEvents(node, search, async (events) => {
    found.unshift(...events);
    isWhole = await haveDeployment(node, manager, events);
    return isWhole;
  });
  const events = found.flatMap(({ topics, data }) => accessManagerAbi.parseLog({ topics, data }) ?? []);
  return { events, searchedFrom, isWhole };
}

/** Whether the first of the events is of the manager's deployment, which grants a role: there are none before. */
async function haveDeployment(
  node: Eip1193Connection,
  manager: string,
  events: readonly FoundEvent[],
): Promise<boolean> {
  const [first] = events;
  if (first === undefined) return false;
  const params = [first.transactionHash];
  const receipt = await node.request({ method: "eth_getTransactionReceipt", params });
  const { contractAddress } = membersOf(receipt) as { contractAddress?: string | null };
  if (contractAddress?.toLowerCase() === manager.toLowerCase()) return true;
  // A factory's receipt does not name the contract. A node that has forgotten the state may answer 0x for both blocks.
  const block = Number(first.blockNumber);
  const codeAt = (number: number) =>
    node.request({ method: "eth_getCode", params: [manager, toQuantity(number)] }).catch(() => undefined);
  const [before, after] = await Promise.all([codeAt(block - 1), codeAt(block)]);
  return before === "0x" && typeof after === "string" && after !== "0x";
}

async function findAccountsWithCode(
  node: Eip1193Connection,
  accounts: readonly string[],
): Promise<Set<string>> {
  const each = [...new Set(accounts)];
  const codes = await Promise.all(each.map((account) => readCode(node, account)));
  return new Set(each.filter((_, index) => codes[index] !== "0x"));
}

function describeCall({ target, data }: { target: string; data: string }, place: Place): string {
  const abis = new Map([
    [place.registry, registryInterface],
    [place.manager, accessManagerAbi],
  ]);
  const parsed = abis.get(target)?.parseTransaction({ data });
  if (!parsed) return `${data.slice(0, 10)}… of ${target}`;
  return `${parsed.name}(${parsed.args.join(", ")})`;
}
