import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { NetworkConnection } from "hardhat/types/network";
import { findStack, type RunningStack } from "./running.ts";

/**
 * Connects to the chain of a task: that of `--network`, or else that of the running `identity dev`.
 *
 * @throws InvalidInputError if there is neither.
 */
export async function connectToChain(
  hre: HardhatRuntimeEnvironment,
  port?: number,
): Promise<{ connection: NetworkConnection<string>; stack?: RunningStack }> {
  if (hre.globalOptions.network !== undefined) {
    return { connection: await hre.network.create<string>() };
  }
  const stack = findStack(port, hre.config.paths.root);
  return { connection: await connectToNode(hre, stack.rpcUrl), stack };
}

/** Connects to a node by its URL. */
export function connectToNode(
  hre: HardhatRuntimeEnvironment,
  url: string,
): Promise<NetworkConnection<string>> {
  return hre.network.create<string>({ network: "localhost", override: { url } });
}
