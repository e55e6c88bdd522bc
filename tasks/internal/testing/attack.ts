import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { attackConsumer, type Finding } from "../attack/attackConsumer.ts";
import type { AbiEntry } from "../consumer/compiledContract.ts";
import { type AddressLike, checkMembers, describe, readAddress, readOptionalAddress } from "./arguments.ts";

/** A contract of ethers or viem, or its address and ABI. */
export type AttackedContract =
  | { readonly target: unknown; readonly interface: { formatJson(): string } }
  | { readonly address: string; readonly abi: readonly unknown[] };

/** What an attack may be told. */
export interface AttackOptions {
  /** Arguments by parameter name, instead of invented ones. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** Defaults to what `owner()` answers, or else to the first account. */
  readonly owner?: AddressLike | undefined;
  /** Defaults to what `registry()` answers. */
  readonly registry?: AddressLike | undefined;
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
): Promise<readonly Finding[]> {
  checkMembers("identity.attack", options, ["args", "owner", "registry"]);
  const address = readAddress("contract", contract);
  const { findings, untried } = await attackConsumer(
    node,
    {
      ...{ name: address, address, abi: readAbi(contract) },
      owner: readOptionalAddress("owner", options.owner),
      registry: readOptionalAddress("registry", options.registry),
    },
    { args: options.args },
  );
  const [first] = untried;
  if (findings.length > 0 || first === undefined) return findings;
  throw new InvalidInputError(
    `${first.entryPoint} reverts with ${first.revert}, whatever it is given, so nothing could be tried: give its arguments by name, such as identity.attack(contract, { args: { amount: 25n } }).`,
  );
}

function readAbi(contract: AttackedContract): readonly AbiEntry[] {
  // An ethers contract has a member for every name.
  const abi: unknown = "interface" in contract ? JSON.parse(contract.interface.formatJson()) : contract.abi;
  if (Array.isArray(abi)) return abi;
  throw new InvalidInputError(
    `contract must have its ABI, as one of ethers or viem has, got ${describe(contract)}.`,
  );
}
