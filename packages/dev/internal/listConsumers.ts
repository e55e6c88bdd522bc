import { isSameAddress } from "@hardhat-identity/protocol/address";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { findImplementation } from "hardhat-identity/internal/consumer/erc1967";
import type { ProjectConsumer } from "hardhat-identity/internal/stack/running";

/** A contract of Ignition's journal. */
interface DeployedContract extends Omit<ProjectConsumer, "name"> {
  /** Id of the future, such as `Airdrop#Airdrop`. */
  readonly id: string;
  readonly contractName: string;
}

/**
 * Lists the consumers among deployed contracts. A proxy counts as what it runs. An implementation is not listed: a
 * verification for it would be of no use. Consumers of the same name get the ids of their futures.
 */
export async function listConsumers(
  node: Eip1193Connection,
  contracts: readonly DeployedContract[],
): Promise<ProjectConsumer[]> {
  const at = (address: string) => contracts.filter((each) => isSameAddress(each.address, address));
  const candidates = await Promise.all(
    contracts.map(async (first) => {
      const { address } = first;
      const implementation = await findImplementation(node, address);
      const isProxy = !isSameAddress(implementation, address);
      const described = [...at(address), ...(isProxy ? at(implementation) : [])];
      return {
        first,
        consumer: described.find((each) => hasFunctions(each, policy)),
        implementation,
        isProxy,
      };
    }),
  );
  const isRun = ({ address }: DeployedContract) =>
    candidates.some(({ isProxy, implementation }) => isProxy && isSameAddress(implementation, address));
  const consumers = candidates.flatMap(({ first, consumer, isProxy }) => {
    // Several futures may be of one contract: a proxy, and what `contractAt` names at its address.
    if (consumer === undefined || at(first.address)[0] !== first) return [];
    const isImplementation = hasFunctions(consumer, ["proxiableUUID"]) || isRun(first);
    if (isImplementation && !isProxy) return [];
    const { id } = isSameAddress(consumer.address, first.address) ? consumer : first;
    return [{ ...consumer, id, address: first.address }];
  });
  return consumers.map(({ id, contractName, address, abi }) => {
    const isAmbiguous = consumers.filter((other) => other.contractName === contractName).length > 1;
    return { name: isAmbiguous ? id : contractName, address, abi };
  });
}

const policy = ["provider", "conditions"];

const hasFunctions = ({ abi }: Pick<DeployedContract, "abi">, names: readonly string[]) =>
  names.every((name) => abi.some((entry) => entry.type === "function" && entry.name === name));
