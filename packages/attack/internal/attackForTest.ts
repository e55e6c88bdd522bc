import { describeValue } from "@hardhat-identity/protocol/describeValue";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { AbiEntry } from "hardhat-identity/internal/consumer/compiledContract";
import { readContracts } from "hardhat-identity/internal/consumer/knownContracts";
import { checkMembers, readAddress, readOptionalAddress } from "hardhat-identity/internal/testing/arguments";
import type {
  Artifacts,
  AttackedContract,
  AttackOptions,
  Finding,
} from "hardhat-identity/internal/testing/attack";
import { everyAttack } from "./attack.ts";
import { attackConsumer, attackNames } from "./attackConsumer.ts";
import { attackContract } from "./attackContract.ts";

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
      `attacks must name some of ${attackNames.join(", ")}, got ${describeValue(stranger)}.`,
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
    throw new InvalidInputError(
      `This project has no contract ${describeValue(name)}, or it has not been built.`,
    );
  }
  return { contract: await artifacts.readArtifact(name), all: await readContracts(artifacts) };
}

function readAbi(contract: Exclude<AttackedContract, string>): readonly AbiEntry[] {
  // An ethers contract has a member for every name.
  const abi: unknown = "interface" in contract ? JSON.parse(contract.interface.formatJson()) : contract.abi;
  if (Array.isArray(abi)) return abi;
  throw new InvalidInputError(
    `contract must have its ABI, as one of ethers or viem has, got ${describeValue(contract)}.`,
  );
}
