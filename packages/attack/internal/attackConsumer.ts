import { findRegistryProblem, readRegistry } from "@hardhat-identity/chain/registry";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { computeAddress } from "ethers";
import type { AbiEntry } from "hardhat-identity/internal/consumer/compiledContract";
import { trustDevelopmentSigner } from "hardhat-identity/internal/consumer/trust";
import { requireCancun } from "hardhat-identity/internal/requireCancun";
import type { Finding, Given } from "hardhat-identity/internal/testing/attack";
import { readAccounts } from "hardhat-identity/internal/wallet/readAccounts";
import { type Attack, type ContractAttack, everyAttack, type Untried } from "./attack.ts";
import { besideTheGuarded } from "./attacks/besideTheGuarded.ts";
import { counting } from "./attacks/counting.ts";
import { draining } from "./attacks/draining.ts";
import { forging } from "./attacks/forging.ts";
import { freeing } from "./attacks/freeing.ts";
import { growing } from "./attacks/growing.ts";
import { lockingOut } from "./attacks/lockingOut.ts";
import { policy } from "./attacks/policy.ts";
import { refusing } from "./attacks/refusing.ts";
import { ruling } from "./attacks/ruling.ts";
import { upgrading } from "./attacks/upgrading.ts";
import { deployRegistry } from "./deploy.ts";
import { isReadable } from "./functions.ts";
import { checkGiven } from "./given.ts";
import { prepare, readAddresses } from "./prepare.ts";
import { type Found, readAddress, rogueKey, Scene, type Target } from "./scene.ts";
import { accountOf, day, openStage } from "./stage.ts";

/** The result of a rehearsal. */
export interface Rehearsal {
  readonly findings: readonly Finding[];
  readonly untried: readonly Untried[];
  /** The attacks that were tried, in order. */
  readonly tried: readonly TriedAttack[];
  /** How many there are to try; after a finding, those that would show the same fault again are left out. */
  readonly total: number;
}

/** An attack that was tried on an entry point or, if it names none, on the contract. */
export interface TriedAttack {
  readonly attack: string;
  readonly entryPoint: string;
  readonly isFound: boolean;
}

/** The contract to attack. */
export type Attacked = Omit<Target, "registry" | "owner"> & {
  /** Defaults to what `registry()` answers. */
  readonly registry?: string | undefined;
  /** Defaults to what `owner()` answers. */
  readonly owner?: string | undefined;
};

/** Options of a rehearsal. */
export interface RehearsalOptions {
  /** Arguments instead of invented ones; a list is a constructor's. */
  readonly args?: Given | undefined;
  /** Names of the attacks to play; all by default. */
  readonly attacks?: readonly string[] | undefined;
  /** Called before each attack with its name, its number, and the total. Attacks that are left out count, too. */
  readonly onAttack?: ((attack: string, number: number, total: number) => void) | undefined;
}

/** The attacks on each entry point. After a finding, the rest of its group would show the same fault again. */
const onEntryPoints: readonly { readonly attacks: readonly Attack[]; readonly all?: number }[] = [
  { attacks: forging },
  // The first two show whether wallets or identities are remembered.
  { attacks: counting, all: 2 },
  { attacks: refusing },
];

const onContracts: readonly ContractAttack[] = [
  growing,
  ...policy,
  besideTheGuarded,
  freeing,
  ruling,
  lockingOut,
  draining,
  upgrading,
];

/** The names of all attacks, in order. */
export const attackNames: readonly string[] = [
  ...onEntryPoints.flatMap(({ attacks }) => attacks),
  ...onContracts,
].map(({ name }) => name);

/**
 * Plays every attack against a deployed consumer, each from the same state, and takes everything back.
 *
 * @throws InvalidInputError if the chain is not a local node, or the contract takes no verification.
 */
export async function attackConsumer(
  node: Eip1193Connection,
  { name, address, abi: whole, ...known }: Attacked,
  options: RehearsalOptions = {},
): Promise<Rehearsal> {
  const abi = whole.filter(isReadable);
  const unreadable = whole.filter(
    (entry) => !isReadable(entry) && !/^(view|pure)$/.test(entry.stateMutability ?? ""),
  );
  checkGiven(options.args ?? {}, abi);
  const stage = await openStage(node);
  await requireCancun(node);
  try {
    return await stage.undone(async () => {
      const unknown = { name, address, abi, registry: "", owner: undefined, versions: known.versions };
      const scene = new Scene(stage, unknown);
      const registry = known.registry ?? (await findRegistry(scene));
      await trustDevelopmentSigner(node, registry);
      const target = { ...unknown, registry };
      // A contract that names no owner was most likely deployed by the first account.
      const owner =
        known.owner ?? readAddress(await scene.ask("owner()")) ?? (await readAccounts(node)).accounts[0];
      return await rehearse(new Scene(stage, { ...target, owner }), unreadable.map(leaveOut), options);
    });
  } finally {
    await stage.leave();
  }
}

/** Tells of a function that no attack can call. */
const leaveOut = ({ name = "" }: AbiEntry): Untried => ({
  attack: everyAttack,
  entryPoint: "",
  revert: `${name} has a parameter of a function type, which the attacks do not support.`,
});

/** Finds the registry that a contract names, as `registry()` or otherwise. */
async function findRegistry(scene: Scene): Promise<string> {
  const { node } = scene.stage;
  for (const named of await readAddresses(scene)) {
    if ((await findRegistryProblem(node, named)) === undefined) return named;
  }
  return readRegistry(node, scene.target.address);
}

async function rehearse(
  scene: Scene,
  leftOut: readonly Untried[],
  { args = {}, attacks: wanted, onAttack = () => {} }: RehearsalOptions,
): Promise<Rehearsal> {
  scene.given = Array.isArray(args) ? {} : { ...args };
  const rogue = accountOf("owner of a rogue registry");
  scene.rogueRegistry = await deployRegistry(scene.stage, rogue, computeAddress(rogueKey));
  const untried = [...leftOut, ...(await prepare(scene))];
  if (scene.entryPoints.length === 0 && untried.length === 0) {
    throw new InvalidInputError(
      `${scene.target.name} has no function that takes a verification: bytes32 identityHash, uint40 expiration and bytes signature, or bytes that encode them.`,
    );
  }
  // A round that lasts a day must not end meanwhile.
  const left = day - ((await scene.stage.time()) % day);
  if (left < 600) await scene.stage.pass(left);
  const { first, second, stranger } = scene.wallets;
  for (const entry of scene.entryPoints) {
    for (const wallet of [first, second, stranger]) await scene.gains(entry, wallet);
  }
  const findings: Finding[] = [];
  const tried: TriedAttack[] = [];
  const add = (attack: string, entryPoint: string, { message, transactions, entryPoint: at }: Found) =>
    findings.push({ attack, entryPoint: at ?? entryPoint, message, transactions });

  const isWanted = (name: string) => wanted?.includes(name) !== false;
  const perEntryPoint = onEntryPoints.flatMap(({ attacks }) => attacks).filter(({ name }) => isWanted(name));
  const perContract = onContracts.filter(({ name }) => isWanted(name));
  const total = scene.entryPoints.length * perEntryPoint.length + perContract.length;

  /** The groups and attacks whose like has shown something. */
  const shown = new Set<unknown>();
  for (const [at, entry] of scene.entryPoints.entries()) {
    for (const { attacks, all = 0 } of onEntryPoints) {
      let isShown = false;
      for (const [i, attack] of attacks.entries()) {
        if (isShown && i >= all) break;
        if (!isWanted(attack.name)) continue;
        onAttack(attack.name, at * perEntryPoint.length + perEntryPoint.indexOf(attack) + 1, total);
        const found = await scene.fresh(() => attack.run(scene, entry));
        tried.push({ attack: attack.name, entryPoint: entry.name, isFound: found !== undefined });
        if (found === undefined) continue;
        isShown = true;
        shown.add(attacks);
        add(attack.name, entry.name, found);
      }
      // An entry point that admits anything needs no other attack.
      if (isShown && attacks === forging) {
        scene.unguarded.add(entry);
        break;
      }
    }
  }
  for (const [at, attack] of perContract.entries()) {
    const isKnown = attack === freeing ? shown.has(counting) : policy.includes(attack) && shown.has(policy);
    if (isKnown) continue;
    onAttack(attack.name, total - perContract.length + at + 1, total);
    const all = await scene.fresh(() => attack.run(scene));
    tried.push({ attack: attack.name, entryPoint: "", isFound: all.length > 0 });
    for (const found of all) {
      if (policy.includes(attack)) shown.add(policy);
      add(attack.name, "", found);
    }
  }
  return { findings, untried, tried, total };
}
