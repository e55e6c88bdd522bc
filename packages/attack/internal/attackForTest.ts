import { printError } from "@hardhat-identity/console/print";
import { describeValue } from "@hardhat-identity/protocol/describeValue";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { AbiEntry } from "hardhat-identity/internal/consumer/compiledContract";
import { listConsumers } from "hardhat-identity/internal/lint/project";
import { checkMembers, readAddress } from "hardhat-identity/internal/testing/arguments";
import type {
  AttackConnection,
  AttackedContract,
  AttackOptions,
  Claim,
  Deployable,
  Finding,
} from "hardhat-identity/internal/testing/attack";
import { type Attacked, attackClaim, attackCompiled, attackDeployed, sayNoEntryPoint } from "./attack.ts";
import { findSources, leaveOutIgnored } from "./ignored.ts";
import { attackNames, type Rehearsal } from "./rehearse.ts";

const known = ["prepare", "sender", "admitted", "upgrade", "attacks", "owner", "registry", "args"];

/**
 * Attacks a consumer in a test, by the claim that the test shows, or else by one that is invented.
 *
 * @throws InvalidInputError if the claim is refused for a verified person, or none was found.
 */
export async function attackForTest(
  node: Eip1193Connection,
  contract: AttackedContract,
  claim: Claim | undefined,
  options: AttackOptions,
  connection: AttackConnection,
): Promise<readonly Finding[]> {
  checkMembers("identity.attack", options, known);
  if (claim !== undefined && typeof claim !== "function") {
    throw new InvalidInputError(`claim must be a function that claims once, got ${describeValue(claim)}.`);
  }
  const { attacks } = options;
  const stranger = attacks?.find((name) => !attackNames.includes(name));
  if (stranger !== undefined) {
    throw new InvalidInputError(
      `attacks must name some of ${attackNames.join(", ")}, got ${describeValue(stranger)}.`,
    );
  }
  if (typeof contract === "string") {
    const compiled = await readCompiled(contract, connection);
    const attacked = await attackCompiled(node, compiled, options, connection);
    const consumers = connection.project === undefined ? [] : await listConsumers(connection.project);
    const isOwn = ({ artifact: { contractName, sourceName } }: (typeof consumers)[number]) =>
      contractName === compiled.contractName && sourceName === compiled.sourceName;
    return check(contract, leaveOutIgnored(attacked, consumers.filter(isOwn)));
  }
  const address = readAddress("contract", contract);
  const attacked = { name: address, address, abi: readAbi(contract) };
  const result =
    claim === undefined
      ? await attackDeployed(node, attacked, options, connection)
      : { rehearsals: [await attackClaim(node, attacked, claim, options, connection)], untried: [] };
  // To read the project takes a second, which only a finding is worth.
  const isWorth = result.rehearsals.some(({ tried }) => tried.some((each) => each.result !== "held"));
  return check(address, leaveOutIgnored(result, isWorth ? await findSources(node, address, connection) : []));
}

function check(contract: string, { rehearsals, untried }: Attacked): readonly Finding[] {
  const findings = rehearsals.flatMap((each) => each.findings);
  // A function that no test can call has no entry point: it has a parameter of a function type.
  const one = untried.find(({ entryPoint }) => entryPoint !== "");
  if (findings.length === 0 && one !== undefined) {
    throw new InvalidInputError(
      `${one.entryPoint} reverts with ${one.refusal} for all arguments, so it could not be tried. Show one claim: identity.attack(contract, ({ verification, wallet }) => contract.connect(wallet).${one.entryPoint.split("(")[0]}(...verification.args)).`,
    );
  }
  if (rehearsals.length === 0) throw new InvalidInputError(sayNoEntryPoint(contract));
  for (const { entryPoint, refusal } of untried)
    printError(`${entryPoint && `${entryPoint}: `}not tried: ${refusal}`);
  for (const rehearsal of rehearsals) warn(rehearsal);
  return findings;
}

/** Tells what a green test does not prove. */
function warn({ entryPoint, tried }: Rehearsal): void {
  for (const { attack, result, refusal } of tried) {
    if (result === "not tried")
      printError(`${entryPoint}: not tried: ${attack}, as others are refused, too: ${refusal}`);
  }
}

async function readCompiled(name: string, { artifacts }: AttackConnection): Promise<Deployable> {
  if (artifacts !== undefined && (await artifacts.artifactExists(name))) return artifacts.readArtifact(name);
  throw new InvalidInputError(
    `This project has no contract ${describeValue(name)}, or it has not been built.`,
  );
}

function readAbi(contract: Exclude<AttackedContract, string>): readonly AbiEntry[] {
  // An ethers contract has a member for every name.
  const abi: unknown = "interface" in contract ? JSON.parse(contract.interface.formatJson()) : contract.abi;
  if (Array.isArray(abi)) return abi;
  throw new InvalidInputError(
    `contract must have its ABI, as one of ethers or viem has, got ${describeValue(contract)}.`,
  );
}
