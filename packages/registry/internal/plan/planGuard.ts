import { showTime } from "@hardhat-identity/console/time";
import { readOpenZeppelinArtifact } from "@hardhat-identity/ignition/artifacts";
import { dayInSeconds, guardRoles } from "@hardhat-identity/ignition/guardRoles";
import {
  accessManagerAbi,
  askAccessManager,
  type Question,
} from "@hardhat-identity/protocol/chain/accessManager";
import { readChainTime } from "@hardhat-identity/protocol/chain/clock";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { readCode } from "hardhat-identity/internal/consumer/erc1967";
import { registryInterface } from "hardhat-identity/internal/consumer/registryInterface";
import { readAccounts } from "hardhat-identity/internal/wallet/readAccounts";
import type { AllowlistState } from "../chain/readAllowlist.ts";
import { type Guard, type Right, readGuard } from "../chain/readGuard.ts";
import { planCall, type Step, writeFunction } from "./plannedCall.ts";

/** The accounts that shall guard a registry. */
export interface Wanted {
  /** Administers the `AccessManager`. */
  readonly admin: string;
  /** May remove signers at once. */
  readonly guardians: readonly string[];
  /** The `AccessManager`, if it is deployed. */
  readonly manager: string | undefined;
}

/** The steps from an owned registry to a guarded one, in order. */
export const stages = ["deploy", "roles", "transfer", "accept", "renounce"] as const;
export type Stage = (typeof stages)[number];

/** The next step. */
export interface GuardPlan {
  /** `undefined` if nothing is left to do. */
  readonly stage: Stage | undefined;
  /** `undefined` until it is deployed. */
  readonly manager: string | undefined;
  /** The account that sets the `AccessManager` up; `undefined` if it has given up its role. */
  readonly deployer: string | undefined;
  /** The transaction; `undefined` for the deployment, and when nothing is left to do. */
  readonly step: Step | undefined;
}

const selectorOf = (name: string) => registryInterface.getFunction(name)?.selector;

/** Plans the next step to a guarded registry, by what the chain says of the steps before. */
export async function planGuard(
  node: Eip1193Connection,
  state: AllowlistState,
  wanted: Wanted,
): Promise<GuardPlan> {
  const { registry, owner, pendingOwner, isGuarded } = state;
  const manager = wanted.manager ?? (isGuarded ? owner : undefined);
  if (isGuarded && manager !== owner) {
    throw new InvalidInputError(
      `The registry ${registry} already has the AccessManager ${owner} as its guard, not ${manager} (--manager).`,
    );
  }
  const { accounts: own, unanswered } = await readAccounts(node);
  const usable = own.filter((account) => account !== wanted.admin);
  if (manager === undefined) return planDeployment(state, usable, unanswered);
  await requireManager(node, manager);
  requireOutside({ manager, registry }, wanted);
  const [deployer] = await findAdministrators(node, manager, usable);
  const setup = { state, manager, deployer };
  const settings = listSettings(registry, wanted);
  const missing = await findMissing(node, manager, settings);
  if (missing.length > 0) return planRoles(setup, missing, own);
  const guard = await readGuard(node, { manager, registry });
  requireNobodyElse(guard, { manager, deployer }, wanted);
  requireWholeHistory(guard, manager, settings);
  if (isGuarded && deployer === undefined) return { stage: undefined, manager, deployer, step: undefined };
  requireNothingPending(guard, { manager, registry }, wanted);
  if (isGuarded) return planRenouncement(setup, own);
  return pendingOwner === manager ? planAcceptance(setup, own) : planTransfer(setup);
}

/** A registry, its `AccessManager`, and the account that sets that up and still administers it. */
interface Setup {
  readonly state: AllowlistState;
  readonly manager: string;
  readonly deployer: string | undefined;
}

/** @param unanswered Names what accounts of the network could not be read. */
function planDeployment(state: AllowlistState, usable: readonly string[], unanswered: string): GuardPlan {
  requireNoHeir(state);
  const deployer = usable.includes(state.owner) ? state.owner : usable[0];
  if (deployer !== undefined) return { stage: "deploy", manager: undefined, deployer, step: undefined };
  throw new InvalidInputError(
    `The network has no account${unanswered} besides --admin. Configure another one, which sets the AccessManager up and gives up its role at the end.`,
  );
}

function planRoles(setup: Setup, missing: readonly Setting[], own: readonly string[]): GuardPlan {
  const data = missing.map(({ call: [name, args] }) => accessManagerAbi.encodeFunctionData(name, args));
  return planByDeployer(setup, "roles", {
    own,
    missing,
    call: ["multicall", [data]],
    title: `multicall(${missing.map(writeMissing).join(", ")})`,
  });
}

function planTransfer({ state, manager, deployer }: Setup): GuardPlan {
  requireNoHeir(state);
  const { registry, owner, ownerIsContract } = state;
  const step: Step = {
    from: owner,
    sender: `the registry's owner ${owner}`,
    fromIsContract: ownerIsContract,
    call: planCall(registry, registryInterface, "transferOwnership", [manager]),
    title: `transferOwnership(${manager})`,
    place: `the registry ${registry}`,
  };
  return { stage: "transfer", manager, deployer, step };
}

function planAcceptance(setup: Setup, own: readonly string[]): GuardPlan {
  const acceptance = registryInterface.encodeFunctionData("acceptOwnership");
  return planByDeployer(setup, "accept", {
    own,
    call: ["execute", [setup.state.registry, acceptance]],
    title: "execute(acceptOwnership())",
  });
}

function planRenouncement(setup: Setup, own: readonly string[]): GuardPlan {
  const args = [guardRoles.admin, setup.deployer];
  return planByDeployer(setup, "renounce", {
    own,
    call: ["renounceRole", args],
    title: writeFunction("renounceRole", args),
  });
}

/** Plans a call of the `AccessManager`, which the account that sets it up must send. */
function planByDeployer(
  { manager, deployer }: Setup,
  stage: Stage,
  planned: {
    readonly own: readonly string[];
    readonly missing?: readonly Setting[];
    readonly call: readonly [name: string, args: readonly unknown[]];
    readonly title: string;
  },
): GuardPlan {
  const { own, missing = [], title } = planned;
  if (deployer === undefined) throw describeUnfit(manager, missing, own);
  const [name, args] = planned.call;
  const step: Step = {
    from: deployer,
    sender: deployer,
    fromIsContract: false,
    call: planCall(manager, accessManagerAbi, name, args),
    title,
    place: `the AccessManager ${manager}`,
  };
  return { stage, manager, deployer, step };
}

/** A transfer that is under way could be accepted at any time. */
function requireNoHeir({ registry, pendingOwner }: AllowlistState): void {
  if (pendingOwner === undefined) return;
  throw new InvalidInputError(
    `${pendingOwner} is the pending owner of the registry ${registry}. Pass --manager ${pendingOwner} if it is the AccessManager. Otherwise, it must accept first, or the owner must call transferOwnership with the zero address.`,
  );
}

/** Requires OpenZeppelin's own code: other code, such as a proxy's, can have other administrators. */
async function requireManager(node: Eip1193Connection, manager: string): Promise<void> {
  const code = await readCode(node, manager);
  if (code === "0x") {
    throw new InvalidInputError(`There is no contract at ${manager} (--manager) on this chain.`);
  }
  if (code === readOpenZeppelinArtifact("AccessManager").deployedBytecode.toLowerCase()) return;
  throw new InvalidInputError(
    `The contract ${manager} (--manager) is not the AccessManager that this command deploys: its code differs.`,
  );
}

/** Neither contract can schedule or send a call of its own. */
function requireOutside(
  { manager, registry }: { readonly manager: string; readonly registry: string },
  { admin, guardians }: Wanted,
): void {
  const own = [admin, ...guardians].find((account) => account === manager || account === registry);
  if (own === undefined) return;
  throw new InvalidInputError(
    `${own} is the ${own === manager ? "AccessManager" : "registry"} itself, which cannot use a role (--admin, --guardians).`,
  );
}

/** Finds the accounts that administer at once. */
async function findAdministrators(
  node: Eip1193Connection,
  manager: string,
  accounts: readonly string[],
): Promise<string[]> {
  const questions = accounts.map((account): Question => ["hasRole", guardRoles.admin, account]);
  const answers = await askAccessManager(node, manager, questions);
  return accounts.filter((_, index) => {
    const [isMember, delay] = answers[index] ?? [];
    return isMember && delay === 0n;
  });
}

/** A setting that an `AccessManager` must have, and the call that makes it. */
interface Setting {
  readonly question: Question;
  readonly isAnswer: (answer: readonly unknown[]) => boolean;
  readonly call: readonly [name: string, args: readonly unknown[]];
}

/** Lists the settings that an `AccessManager` must have, in the order in which they are made. */
function listSettings(registry: string, { admin, guardians }: Wanted): Setting[] {
  const { guardian, adder } = guardRoles;
  const is =
    (wanted: unknown) =>
    ([value]: readonly unknown[]) =>
      value === wanted;
  const role = (name: string, id: bigint): Setting => ({
    question: ["getTargetFunctionRole", registry, selectorOf(name)],
    isAnswer: is(id),
    call: ["setTargetFunctionRole", [registry, [selectorOf(name)], id]],
  });
  const administrator = (id: bigint): Setting => ({
    question: ["getRoleAdmin", id],
    isAnswer: is(guardRoles.admin),
    call: ["setRoleAdmin", [id, guardRoles.admin]],
  });
  const grant = (id: bigint, account: string, delay: number): Setting => ({
    question: ["getAccess", id, account],
    // A longer delay is the administrator's own choice. A shorter one may be about to take effect; a new grant takes that back.
    isAnswer: ([since, currentDelay, pendingDelay, effect]) => {
      const delays = effect === 0n ? [currentDelay] : [currentDelay, pendingDelay];
      return since !== 0n && delays.every((each) => (delay === 0 ? each === 0n : Number(each) >= delay));
    },
    call: ["grantRole", [id, account, delay]],
  });
  return [
    role("removeSigner", guardian),
    role("addSigner", adder),
    ...["transferOwnership", "acceptOwnership"].map((name) => role(name, guardRoles.admin)),
    ...[guardian, adder].map(administrator),
    {
      question: ["getRoleGuardian", adder],
      isAnswer: is(guardian),
      call: ["setRoleGuardian", [adder, guardian]],
    },
    {
      question: ["isTargetClosed", registry],
      isAnswer: is(false),
      call: ["setTargetClosed", [registry, false]],
    },
    ...[...new Set([...guardians, admin])].map((account) => grant(guardian, account, 0)),
    ...[adder, guardRoles.admin].map((id) => grant(id, admin, dayInSeconds)),
  ];
}

/** Finds the settings that an `AccessManager` lacks, and requires that the others are in effect. */
async function findMissing(
  node: Eip1193Connection,
  manager: string,
  settings: readonly Setting[],
): Promise<Setting[]> {
  const { now } = await readChainTime(node);
  const questions = settings.map(({ question }) => question);
  const answers = await askAccessManager(node, manager, questions);
  for (const [i, setting] of settings.entries()) requireInEffect(manager, setting, answers[i] ?? [], now);
  return settings.filter(({ isAnswer }, i) => !isAnswer(answers[i] ?? []));
}

/** Requires that a role that an account has got is in effect, with its delay. */
function requireInEffect(
  manager: string,
  { question: [name, role, account], call }: Setting,
  [since, , pendingDelay, effect]: readonly unknown[],
  now: number,
): void {
  if (name !== "getAccess") return;
  const [, [, , delay]] = call;
  if (Number(since) > now)
    throw new InvalidInputError(
      `At the AccessManager ${manager}, ${account} gets the role ${role} only at ${showTime(Number(since))}, because of a grant delay. Use another AccessManager, or run this command again then.`,
    );
  // A new grant would begin the wait anew.
  if (delay === 0 && Number(effect) > now && Number(pendingDelay) === 0)
    throw new InvalidInputError(
      `At the AccessManager ${manager}, ${account} has the role ${role} without a delay only from ${showTime(Number(effect))}. Run this command again then.`,
    );
}

const writeMissing = ({ call: [name, args] }: Setting): string => writeFunction(name, args);

function describeUnfit(manager: string, missing: readonly Setting[], own: readonly string[]): Error {
  const lacks = missing.length === 0 ? "" : ` It lacks ${missing.map(writeMissing).join(", ")}.`;
  return new InvalidInputError(
    `None of the network's accounts (${own.slice(0, 3).join(", ")}) administers the AccessManager ${manager} at once.${lacks}`,
  );
}

/** Requires that only named accounts have a right, or will have one. */
function requireNobodyElse(
  { members }: Guard,
  { manager, deployer }: { readonly manager: string; readonly deployer: string | undefined },
  { admin, guardians }: Wanted,
): void {
  const named: Readonly<Record<Right, readonly unknown[]>> = {
    add: [],
    remove: guardians,
    cancel: guardians,
    administer: [deployer],
  };
  const other = members.find(({ account, may }) => account !== admin && !named[may].includes(account));
  if (other === undefined) return;
  const { account, may, begins } = other;
  const beginning = begins === undefined ? "" : ` This begins at ${showTime(begins)}.`;
  throw new InvalidInputError(
    `At the AccessManager ${manager}, ${account} may ${may}, and neither --admin nor --guardians names it.${beginning}`,
  );
}

/** Requires that the node returned all events: an event that is missing hides an account with a role. */
function requireWholeHistory(
  { members, isWhole, searchedFrom }: Guard,
  manager: string,
  settings: readonly Setting[],
): void {
  const other = "Use a node that answers eth_getLogs for the manager's whole history.";
  if (!isWhole) {
    throw new InvalidInputError(
      `The node returned the events of the AccessManager ${manager} only back to block ${searchedFrom}, and not that of its deployment: before, other accounts may have got a role. ${other}`,
    );
  }
  const rights = new Map<unknown, Right>([
    [guardRoles.admin, "administer"],
    [guardRoles.guardian, "remove"],
    [guardRoles.adder, "add"],
  ]);
  for (const { call } of settings) {
    const [name, [role, account]] = call;
    if (name !== "grantRole") continue;
    if (members.some((member) => member.account === account && member.may === rights.get(role))) continue;
    throw new InvalidInputError(
      `The node left out events of the AccessManager ${manager}: ${account} has the role ${role}, and there is no event of it. ${other}`,
    );
  }
}

/** Requires that nothing is under way that would change the roles later. The administrator may add signers. */
function requireNothingPending(
  { operations, delays }: Guard,
  { manager, registry }: { readonly manager: string; readonly registry: string },
  { admin }: Wanted,
): void {
  const addition = String(selectorOf("addSigner"));
  const operation = operations.find(
    ({ caller, target, data }) => caller !== admin || target !== registry || !data.startsWith(addition),
  );
  if (operation !== undefined) {
    const { caller, call, executableUntil } = operation;
    throw new InvalidInputError(
      `At the AccessManager ${manager}, ${caller} has scheduled ${call}. Cancel it, or run this command again once it has expired, at ${showTime(executableUntil)}.`,
    );
  }
  const [delay] = delays;
  if (delay === undefined) return;
  throw new InvalidInputError(
    `At the AccessManager ${manager}, somebody called ${delay.call}, effective from ${showTime(delay.effectiveFrom)}: the administrator's later changes would take longer. Set it to 0 and run this command again once that is effective, or use another AccessManager.`,
  );
}
