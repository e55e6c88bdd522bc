import type { Eip1193Connection } from "../../protocol/eip1193.ts";
import { browserMemory } from "../shared/storage.ts";
import { readGenesis } from "./chain.ts";

const key = "heldBlock";
/** Milliseconds after which the node mines by itself, whatever has become of the page. */
const longest = 60_000;

/** Whether the node mines a block for each transaction, so that holding one back can be shown. */
export async function minesAtOnce(node: Eip1193Connection): Promise<boolean> {
  return (await node.request({ method: "hardhat_getAutomine" }).catch(() => false)) === true;
}

/**
 * Has the node mine nothing for now. The chain does not stand still for ever when the page is closed meanwhile: the node
 * mines after a minute by itself, and the demo lets go of the block when it is opened again.
 */
export async function holdBlock(node: Eip1193Connection): Promise<void> {
  browserMemory.write(key, await readGenesis(node));
  await node.request({ method: "evm_setIntervalMining", params: [longest] });
  await node.request({ method: "evm_setAutomine", params: [false] });
}

/** Mines the block that is held back, and has the node mine at once again. */
export async function releaseBlock(node: Eip1193Connection): Promise<void> {
  await node.request({ method: "evm_setIntervalMining", params: [0] });
  await node.request({ method: "evm_setAutomine", params: [true] });
  await node.request({ method: "evm_mine" });
  browserMemory.write(key, undefined);
}

/** Lets go of a block that was held when the page was left. Tells whether there was one. */
export async function releaseForgotten(node: Eip1193Connection): Promise<boolean> {
  const held = browserMemory.read(key);
  if (held === undefined) return false;
  browserMemory.write(key, undefined);
  // The mark may be of a chain that runs no more.
  if (held !== (await readGenesis(node)) || (await minesAtOnce(node))) return false;
  await releaseBlock(node);
  return true;
}
