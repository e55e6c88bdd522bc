import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { AbiEntry } from "hardhat-identity/internal/consumer/compiledContract";
import { readContracts } from "hardhat-identity/internal/consumer/knownContracts";
import {
  type AddressLike,
  checkMembers,
  describe,
  readAddress,
  readOptionalAddress,
} from "hardhat-identity/internal/testing/arguments";
import { everyAttack } from "./attack.ts";
import { attackConsumer, attackNames, type Finding } from "./attackConsumer.ts";
import { attackContract } from "./attackContract.ts";
import type { Deployable } from "./deploy.ts";
import type { Given } from "./given.ts";

/**
 * A contract of ethers or viem, or its address and ABI; or the name of a contract of the project, which is deployed with
 * invented arguments.
 */
export type AttackedContract =
  | string
  | { readonly target: unknown; readonly interface: { formatJson(): string } }
  | { readonly address: string; readonly abi: readonly unknown[] };

/** Options of an attack. */
export interface AttackOptions {
  /** Arguments by parameter name, instead of invented ones; a list is the constructor's. */
  readonly args?: Given | undefined;
  /** Names of the attacks to play, as docs/linting.md lists them; all by default. */
  readonly attacks?: readonly string[] | undefined;
  /** Defaults to what `owner()` answers, or else to the first account. */
  readonly owner?: AddressLike | undefined;
  /** Defaults to what `registry()` answers. */
  readonly registry?: AddressLike | undefined;
}

/** Where the contracts of a project are. */
export interface Artifacts {
  getAllFullyQualifiedNames(): Promise<ReadonlySet<string>>;
  artifactExists(name: string): Promise<boolean>;
  readArtifact(name: string): Promise<Deployable>;
}

/**
 * Attacks a consumer in a test.
 *
 * @throws InvalidInputError if nothing was found, and an entry point could not be tried.
 */
export async function attackForTest(
  node: Eip1193Connection,
  contract: AttackedContract,
  options: AttackOptions = {},
  artifacts?: Artifacts,
): Promise<readonly Finding[]> {
  checkMembers("identity.attack", options, ["args", "attacks", "owner", "registry"]);
  const { args, attacks } = options;
  const stranger = attacks?.find((name) => !attackNames.includes(name));
  if (stranger !== undefined) {
    throw new InvalidInputError(
      `attacks must name some of ${attackNames.join(", ")}, got ${describe(stranger)}.`,
    );
  }
  if (typeof contract === "string") {
    const compiled = await readCompiled(contract, artifacts);
    return check(await attackContract(node, compiled.contract, compiled.all, { args, attacks }));
  }
  const address = readAddress("contract", contract);
  const attacked = {
    name: address,
    address,
    abi: readAbi(contract),
    owner: readOptionalAddress("owner", options.owner),
    registry: readOptionalAddress("registry", options.registry),
  };
  return check(await attackConsumer(node, attacked, { args, attacks }));
}

function check({ findings, untried }: Awaited<ReturnType<typeof attackConsumer>>): readonly Finding[] {
  const first = untried.find(({ attack }) => attack === everyAttack);
  if (findings.length > 0 || first === undefined) return findings;
  throw new InvalidInputError(
    `${first.entryPoint} reverts with ${first.revert} for all arguments, so nothing could be tried: pass its arguments by name, such as identity.attack(contract, { args: { amount: 25n } }).`,
  );
}

async function readCompiled(name: string, artifacts: Artifacts | undefined) {
  if (artifacts === undefined || !(await artifacts.artifactExists(name))) {
    throw new InvalidInputError(`This project has no contract ${describe(name)}, or it has not been built.`);
  }
  return { contract: await artifacts.readArtifact(name), all: await readContracts(artifacts) };
}

function readAbi(contract: Exclude<AttackedContract, string>): readonly AbiEntry[] {
  // An ethers contract has a member for every name.
  const abi: unknown = "interface" in contract ? JSON.parse(contract.interface.formatJson()) : contract.abi;
  if (Array.isArray(abi)) return abi;
  throw new InvalidInputError(
    `contract must have its ABI, as one of ethers or viem has, got ${describe(contract)}.`,
  );
}
