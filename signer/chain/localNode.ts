import type { Eip1193Provider } from "../../protocol/eip1193.ts";

/**
 * Whether the node is a development node: it answers `hardhat_metadata` or `anvil_nodeInfo`. Neither a chain id nor a
 * loopback address proves that.
 */
export async function isLocalNode(provider: Eip1193Provider): Promise<boolean> {
  for (const method of ["hardhat_metadata", "anvil_nodeInfo"]) {
    try {
      if (typeof (await provider.request({ method })) === "object") return true;
    } catch {
      // Not that kind of node.
    }
  }
  return false;
}
