import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { readRegistry } from "../../../chain/registry.ts";
import { readDiscovery } from "../../../client/index.ts";
import { parseAddress } from "../../../protocol/address.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { type AllowlistState, readAllowlist } from "../../../signer/cli/signers/readAllowlist.ts";
import { readServiceSigners, type ServiceSigners } from "../../../signer/cli/signers/serviceSigners.ts";
import { type Options, optionalPort } from "../console/options.ts";
import { connectToChain } from "../stack/connect.ts";
import { findConsumer } from "../stack/findConsumer.ts";

/** How the tasks of `identity signers` are told what they are about. */
export type RegistryOptions = Options<"registry" | "consumer" | "service" | "port">;

/**
 * The registry that a task is about, and the service that is known of it: those that are named, or else those of the
 * running `identity dev`.
 *
 * @throws InvalidInputError when no registry is known, or what is named is none.
 */
export async function openRegistry(
  args: RegistryOptions,
  hre: HardhatRuntimeEnvironment,
): Promise<{ node: Eip1193Connection; state: AllowlistState; service: ServiceSigners | undefined }> {
  const port = optionalPort("--port", args.port);
  if (args.registry !== undefined && args.consumer !== undefined) {
    throw new InvalidInputError("--registry and --consumer both name a registry; give one of them.");
  }
  const named = args.registry === undefined ? undefined : parseAddress("--registry", args.registry);
  const consumer = args.consumer === undefined ? undefined : findConsumer(hre, args.consumer, port);
  const { connection, stack } = await connectToChain(hre, port);
  const node = connection.provider;
  const registry = named ?? (consumer === undefined ? stack?.registry : await readRegistry(node, consumer));
  if (registry === undefined) {
    throw new InvalidInputError("--registry is missing; name the registry, or a --consumer that tells it.");
  }
  const state = await readAllowlist(node, registry);
  const isOfStack = stack?.registry === registry;
  const url = args.service ?? (isOfStack ? stack?.signerUrl : undefined);
  return {
    node,
    state,
    service: url === undefined ? undefined : await readServiceSigners(url, state, discover),
  };
}

function discover(baseUrl: string) {
  return readDiscovery({ baseUrl, signal: AbortSignal.timeout(10_000) });
}
