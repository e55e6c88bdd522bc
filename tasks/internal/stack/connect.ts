import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import type { NetworkConnection } from "hardhat/types/network";
import { optionalPort } from "../console/options.ts";
import { stackNetwork } from "../localNetwork.ts";
import { findStack, type RunningStack } from "./running.ts";

/** Connects to the chain of a task: that of `--network`, or else that of the running `identity dev`. */
export async function connectToChain(
  hre: HardhatRuntimeEnvironment,
  asked: { readonly port: string | undefined },
): Promise<{ connection: NetworkConnection<string>; stack?: RunningStack }> {
  if (hre.globalOptions.network !== undefined) {
    return { connection: await hre.network.create<string>() };
  }
  const stack = await findStackOf(hre, asked);
  return { connection: await connectToNode(hre, stack.rpcUrl), stack };
}

/** Finds the running `identity dev` of a task: that of `--port`, or else that of the project. */
export const findStackOf = (
  { config }: HardhatRuntimeEnvironment,
  asked: { readonly port: string | undefined },
): Promise<RunningStack> => findStack(optionalPort("--port", asked.port), config.paths.root);

/** Connects to a node by its URL. */
export function connectToNode(
  hre: HardhatRuntimeEnvironment,
  url: string,
): Promise<NetworkConnection<string>> {
  return hre.network.create<string>({ network: stackNetwork, override: { url } });
}
