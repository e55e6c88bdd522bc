import { accessManagerAbi, askAccessManager, type Question } from "../../../chain/accessManager.ts";
import { readOpenZeppelinArtifact } from "../../../ignition/artifacts.ts";
import { dayInSeconds, guardRoles } from "../../../ignition/guardRoles.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { readCode } from "../consumer/proxy.ts";
import { registryInterface } from "../consumer/registryInterface.ts";
import { readAccounts } from "../wallet/readAccounts.ts";
import { planCall, type Step, writeFunction } from "./plannedCall.ts";
import type { AllowlistState } from "./readAllowlist.ts";
import { readGuard } from "./readGuard.ts";

/** Who is to guard a registry. */
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

/** What comes next. */
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
      `The registry ${registry} is guarded already, by the AccessManager ${owner}, and not by ${manager} (--manager).`,
    );
  }
  const { accounts: own, unanswered } = await readAccounts(node);
  const usable = own.filter((account) => account !== wanted.admin);
  if (manager === undefined) {
    demandNoHeir(state);
    const deployer = usable.includes(owner) ? owner : usable[0];
    if (deployer !== undefined) return { stage: "deploy", manager, deployer, step: undefined };
    throw new InvalidInputError(
      `The network has no account${unanswered} but --admin: another one sets the AccessManager up, and gives up its role at the end.`,
    );
  }
  if (!isGuarded) await demandManager(node, manager);
  const [deployer] = await findAdministrators(node, manager, usable);
  const missing = await findMissing(node, manager, registry, wanted);
  const plan = (stage: Stage, step: Omit<Step, "sender"> & { readonly sender?: string }): GuardPlan => ({
    ...{ stage, manager, deployer },
    step: { sender: step.from, ...step },
  });
  const ofManager = { fromIsContract: false, place: `the AccessManager ${manager}` };
  if (missing.length > 0) {
    if (deployer === undefined) throw describeUnfit(manager, missing, own);
    const data = missing.map(({ call: [name, args] }) => accessManagerAbi.encodeFunctionData(name, args));
    const call = planCall(manager, accessManagerAbi, "multicall", [data]);
    return plan("roles", {
      ...ofManager,
      from: deployer,
      call,
      title: `multicall(${missing.map(writeMissing).join(", ")})`,
    });
  }
  await demandNobodyElse(node, { manager, registry, deployer }, wanted);
  if (isGuarded) {
    if (deployer === undefined) return { stage: undefined, manager, deployer, step: undefined };
    const args = [guardRoles.admin, deployer];
    const call = planCall(manager, accessManagerAbi, "renounceRole", args);
    return plan("renounce", {
      ...ofManager,
      from: deployer,
      call,
      title: writeFunction("renounceRole", args),
    });
  }
  if (pendingOwner !== manager) {
    demandNoHeir(state);
    const call = planCall(registry, registryInterface, "transferOwnership", [manager]);
    return plan("transfer", {
      ...{ from: owner, sender: `the registry's owner ${owner}`, fromIsContract: state.ownerIsContract },
      ...{ call, title: `transferOwnership(${manager})`, place: `the registry ${registry}` },
    });
  }
  if (deployer === undefined) throw describeUnfit(manager, [], own);
  const acceptance = registryInterface.encodeFunctionData("acceptOwnership");
  const call = planCall(manager, accessManagerAbi, "execute", [registry, acceptance]);
  return plan("accept", { ...ofManager, from: deployer, call, title: "execute(acceptOwnership())" });
}

/** A transfer that is under way could be accepted at any time. */
function demandNoHeir({ registry, pendingOwner }: AllowlistState): void {
  if (pendingOwner === undefined) return;
  throw new InvalidInputError(
    `${pendingOwner} is to become the owner of the registry ${registry}. Give --manager ${pendingOwner} if it is the AccessManager; otherwise, it must accept first, or the owner call transferOwnership with the zero address.`,
  );
}

/** Requires OpenZeppelin's own code: whoever wrote another one could keep a door open. */
async function demandManager(node: Eip1193Connection, manager: string): Promise<void> {
  const code = await readCode(node, manager);
  if (code === "0x")
    throw new InvalidInputError(`There is no contract at ${manager} (--manager) on this chain.`);
  if (code === readOpenZeppelinArtifact("AccessManager").deployedBytecode.toLowerCase()) return;
  throw new InvalidInputError(
    `The contract ${manager} (--manager) is not the AccessManager that this command deploys: its code differs.`,
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

/** A setting that an `AccessManager` lacks, and the call that makes it. */
interface Setting {
  readonly question: Question;
  readonly answer: readonly unknown[];
  readonly call: readonly [name: string, args: readonly unknown[]];
}

async function findMissing(
  node: Eip1193Connection,
  manager: string,
  registry: string,
  { admin, guardians }: Wanted,
): Promise<Setting[]> {
  const { guardian, adder } = guardRoles;
  const role = (name: string, id: bigint): Setting => ({
    question: ["getTargetFunctionRole", registry, selectorOf(name)],
    answer: [id],
    call: ["setTargetFunctionRole", [registry, [selectorOf(name)], id]],
  });
  const administrator = (id: bigint): Setting => ({
    question: ["getRoleAdmin", id],
    answer: [guardRoles.admin],
    call: ["setRoleAdmin", [id, guardRoles.admin]],
  });
  const grant = (id: bigint, account: string, delay: number): Setting => ({
    question: ["hasRole", id, account],
    answer: [true, BigInt(delay)],
    call: ["grantRole", [id, account, delay]],
  });
  const settings: Setting[] = [
    role("removeSigner", guardian),
    role("addSigner", adder),
    ...["transferOwnership", "acceptOwnership"].map((name) => role(name, guardRoles.admin)),
    ...[guardian, adder].map(administrator),
    {
      question: ["getRoleGuardian", adder],
      answer: [guardian],
      call: ["setRoleGuardian", [adder, guardian]],
    },
    ...[...new Set([...guardians, admin])].map((account) => grant(guardian, account, 0)),
    ...[adder, guardRoles.admin].map((id) => grant(id, admin, dayInSeconds)),
  ];
  const answers = await askAccessManager(
    node,
    manager,
    settings.map(({ question }) => question),
  );
  return settings.filter(({ answer }, index) => answer.some((value, at) => answers[index]?.[at] !== value));
}

const writeMissing = ({ call: [name, args] }: Setting): string => writeFunction(name, args);

function describeUnfit(manager: string, missing: readonly Setting[], own: readonly string[]): Error {
  const lacks = missing.length === 0 ? "" : ` It lacks ${missing.map(writeMissing).join(", ")}.`;
  return new InvalidInputError(
    `None of the network's accounts (${own.slice(0, 3).join(", ")}) administers the AccessManager ${manager} at once.${lacks}`,
  );
}

/** Requires that nobody has a right whom nobody named. */
async function demandNobodyElse(
  node: Eip1193Connection,
  at: { manager: string; registry: string; deployer: string | undefined },
  { admin, guardians }: Wanted,
): Promise<void> {
  const { members } = await readGuard(node, at);
  const named = (right: string) =>
    right === "add" ? [] : right === "administer" ? [at.deployer] : guardians;
  const other = members.find(({ account, may }) => account !== admin && !named(may).includes(account));
  if (other === undefined) return;
  throw new InvalidInputError(
    `At the AccessManager ${at.manager}, ${other.account} may ${other.may}, and neither --admin nor --guardians names it.`,
  );
}
