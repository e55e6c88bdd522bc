import { optional } from "@hardhat-identity/console/options";
import { readServiceUrl } from "@hardhat-identity/console/probeService";
import { readServiceSigners, type ServiceSigners } from "@hardhat-identity/console/serviceSigners";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { readRegistry } from "@hardhat-identity/protocol/chain/registry";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { connectToChain } from "hardhat-identity/internal/stack/connect";
import { findConsumer } from "hardhat-identity/internal/stack/findConsumer";
import type { Arguments } from "hardhat-identity/options";
import { type AllowlistState, readAllowlist } from "./chain/readAllowlist.ts";

/** The options of all `identity signers` tasks that name a registry. */
type RegistryOptions = Omit<Arguments<"signers list">, "fromBlock">;

/**
 * Reads the registry of a task, and the service if one is known: those of the options, or else those of the running
 * `identity dev`.
 *
 * @throws InvalidInputError if no registry is known, or there is no registry at the address.
 */
export async function openRegistry(
  args: RegistryOptions,
  hre: HardhatRuntimeEnvironment,
): Promise<{ node: Eip1193Connection; state: AllowlistState; service: ServiceSigners | undefined }> {
  if (args.registry !== undefined && args.consumer !== undefined) {
    throw new InvalidInputError("--registry and --consumer both name a registry; give one of them.");
  }
  const named = optional(args.registry, (text) => parseAddress("--registry", text));
  const consumer = args.consumer === undefined ? undefined : await findConsumer(hre, args);
  const { connection, stack } = await connectToChain(hre, args);
  const node = connection.provider;
  const registry = named ?? (consumer === undefined ? stack?.registry : await readRegistry(node, consumer));
  if (registry === undefined) {
    throw new InvalidInputError(
      "--registry is missing; give the registry, or one of its consumers with --consumer.",
    );
  }
  const state = await readAllowlist(node, registry);
  const isOfStack = stack?.registry === registry;
  const given = optional(args.service, (text) => readServiceUrl("--service", text));
  const url = given ?? (isOfStack ? stack?.signerUrl : undefined);
  return {
    node,
    state,
    service: url === undefined ? undefined : await readServiceSigners(url, state),
  };
}
