import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { readRegistry } from "../../../chain/registry.ts";
import { parseAddress } from "../../../protocol/address.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { readServiceUrl } from "../../../signer/operations/askService.ts";
import { readServiceSigners, type ServiceSigners } from "../../../signer/operations/serviceSigners.ts";
import type { Arguments } from "../../options.ts";
import { connectToChain } from "../stack/connect.ts";
import { findConsumer } from "../stack/findConsumer.ts";
import { type AllowlistState, readAllowlist } from "./readAllowlist.ts";

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
  const named = args.registry === undefined ? undefined : parseAddress("--registry", args.registry);
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
  const given = args.service === undefined ? undefined : readServiceUrl("--service", args.service);
  const url = given ?? (isOfStack ? stack?.signerUrl : undefined);
  return {
    node,
    state,
    service: url === undefined ? undefined : await readServiceSigners(url, state),
  };
}
