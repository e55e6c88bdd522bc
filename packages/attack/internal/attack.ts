import { findRegistryProblem, readRegistry } from "@hardhat-identity/protocol/chain/registry";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { AbiEntry } from "hardhat-identity/internal/consumer/compiledContract";
import { trustDevelopmentSigner } from "hardhat-identity/internal/consumer/trust";
import { requireCancun } from "hardhat-identity/internal/requireCancun";
import { readOptionalAddress } from "hardhat-identity/internal/testing/arguments";
import type {
  AttackConnection,
  AttackOptions,
  Claim,
  Deployable,
} from "hardhat-identity/internal/testing/attack";
import { readAccounts } from "hardhat-identity/internal/wallet/readAccounts";
import { deployForAttack } from "./deploy.ts";
import { isReadable } from "./functions.ts";
import { checkGiven } from "./given.ts";
import { type Closed, inventClaims, readAddresses } from "./invented.ts";
import type { Target } from "./play.ts";
import { type Rehearsal, type RehearsalOptions, rehearse, rehearsePolicy } from "./rehearse.ts";
import { Scene } from "./scene.ts";
import { openStage, readAddress, type Stage } from "./stage.ts";

/** A deployed contract, and what may be known about it. */
export interface Known {
  readonly name: string;
  readonly address: string;
  readonly abi: readonly AbiEntry[];
  /** A token of ours that it takes. */
  readonly token?: string | undefined;
}

/** The results of the attacks on a contract. */
export interface Attacked {
  /** One for each function that claims. */
  readonly rehearsals: readonly (Rehearsal & { readonly says?: string })[];
  /** The functions at which no claim was found. */
  readonly untried: readonly Closed[];
}

type Options = AttackOptions & Pick<RehearsalOptions, "onAttack">;

export const sayNoEntryPoint = (contract: string) =>
  `${contract} has no function that takes a verification as bytes32 identityHash, uint40 expiration and bytes signature. If it takes one otherwise, or another contract calls it, show a claim in a test; for a diamond, name the facet.`;

/** Records a claim at a deployed consumer, attacks it, and takes everything back. */
export function attackClaim(
  node: Eip1193Connection,
  known: Known,
  claim: Claim,
  options: Options,
  connection: AttackConnection,
): Promise<Rehearsal> {
  return onStage(node, async (stage) => {
    const target = await findTarget(stage, known, options);
    const sender = readOptionalAddress("sender", options.sender);
    return rehearse(new Scene(stage, target, claim, { ...options, sender }, connection), options);
  });
}

/** Invents claims at a deployed consumer, attacks them, and takes everything back. */
export function attackDeployed(
  node: Eip1193Connection,
  known: Known,
  options: Options,
  connection: AttackConnection,
): Promise<Attacked> {
  const { args = {} } = options;
  checkGiven(args, known.abi.filter(isReadable));
  return onStage(node, async (stage) => {
    const target = await findTarget(stage, known, options);
    const given = Array.isArray(args) ? {} : { ...args };
    const { found, closed } = await inventClaims(node, stage, target, { given, token: known.token });
    const rehearsals: Attacked["rehearsals"][number][] = [];
    for (const [i, { claim, says, opening, options: own }] of found.entries()) {
      const rehearsal = await stage.undone(async () => {
        const scene = new Scene(
          stage,
          target,
          claim,
          { ...own, admitted: options.admitted, upgrade: options.upgrade },
          connection,
        );
        await opening(scene);
        return rehearse(scene, { ...options, isNext: i > 0 });
      });
      rehearsals.push({ ...rehearsal, says });
    }
    if (found.length === 0 && closed.length > 0) {
      const refused = () => Promise.reject(new Error("no claim"));
      const rehearsal = await rehearsePolicy(new Scene(stage, target, refused, {}, connection));
      if (rehearsal.findings.length > 0) rehearsals.push(rehearsal);
    }
    const unreadable = known.abi.filter(
      (each) => !isReadable(each) && !/^(view|pure)$/.test(each.stateMutability ?? ""),
    );
    const leftOut = unreadable.map(({ name = "" }) => ({
      entryPoint: "",
      refusal: `${name} has a parameter of a function type, which the attacks do not support.`,
    }));
    return { rehearsals, untried: [...closed, ...leftOut] };
  });
}

/** Deploys a compiled contract, attacks it, and takes everything back. */
export function attackCompiled(
  node: Eip1193Connection,
  contract: Deployable,
  options: Options,
  connection: AttackConnection,
): Promise<Attacked> {
  return onStage(node, async (stage) => {
    const { owner, registry, upgrade, ...known } = await deployForAttack(stage, contract, options.args);
    return attackDeployed(node, known, { ...options, owner, registry, upgrade }, connection);
  });
}

async function onStage<T>(node: Eip1193Connection, run: (stage: Stage) => Promise<T>): Promise<T> {
  const stage = await openStage(node);
  await requireCancun(node);
  try {
    return await stage.undone(() => run(stage));
  } finally {
    await stage.leave();
  }
}

async function findTarget(stage: Stage, known: Known, options: Options): Promise<Target> {
  const { node } = stage;
  const { name, address } = known;
  const abi = known.abi.filter(isReadable);
  const unknown = { name, address, abi, registry: "", owner: undefined };
  const registry = readOptionalAddress("registry", options.registry) ?? (await findRegistry(stage, unknown));
  await trustDevelopmentSigner(node, registry);
  // A contract that names no owner was most likely deployed by the first account.
  const owner =
    readOptionalAddress("owner", options.owner) ??
    readAddress(await stage.ask({ from: registry, to: address, data: "0x8da5cb5b" })) ??
    (await readAccounts(node)).accounts[0];
  return { name, address, abi, registry, owner };
}

/** Finds the registry that a contract names, as `registry()` or otherwise. */
async function findRegistry(stage: Stage, target: Target): Promise<string> {
  for (const named of await readAddresses(stage, target)) {
    if ((await findRegistryProblem(stage.node, named)) === undefined) return named;
  }
  return readRegistry(stage.node, target.address);
}
