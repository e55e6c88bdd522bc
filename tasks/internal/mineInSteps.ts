import { toQuantity } from "@hardhat-identity/protocol/hex";
import type { JsonRpcRequest, JsonRpcResponse } from "hardhat/types/providers";

/** EDR of Hardhat 3.17 and 3.18 dies of 8 blocks or more at once on a chain of type `op`: they have no extra data. */
const mostBlocks = 7n;

type Ask = (request: JsonRpcRequest) => Promise<JsonRpcResponse>;

/**
 * Carries out `hardhat_mine` a few blocks at a time.
 *
 * @param ask Asks the node.
 * @returns The node's answer, or the first one that is an error.
 */
export async function mineInSteps(request: JsonRpcRequest, ask: Ask): Promise<JsonRpcResponse> {
  const [count, interval] = Array.isArray(request.params) ? request.params : [];
  const seconds = readQuantity(interval ?? 1);
  let left = readQuantity(count);
  // The node refuses an invalid quantity.
  if (left === undefined || seconds === undefined || left <= mostBlocks) return ask(request);
  for (;;) {
    const blocks = left < mostBlocks ? left : mostBlocks;
    const mined = await ask({ ...request, params: [toQuantity(blocks), toQuantity(seconds)] });
    left -= blocks;
    if ("error" in mined || left === 0n) return mined;
    // Nobody can ask for a block in the second of the one before; the next block gets the next second.
    if (seconds === 0n) continue;
    const kept = await keepInterval(request, seconds, ask);
    if ("error" in kept) return kept;
  }
}

/** The node keeps the interval between the blocks of one request; here it is kept between two requests. */
async function keepInterval(request: JsonRpcRequest, interval: bigint, ask: Ask): Promise<JsonRpcResponse> {
  const latest = await ask({ ...request, method: "eth_getBlockByNumber", params: ["latest", false] });
  if ("error" in latest) return latest;
  const { timestamp } = latest.result as { readonly timestamp: string };
  const next = toQuantity(BigInt(timestamp) + interval);
  return ask({ ...request, method: "evm_setNextBlockTimestamp", params: [next] });
}

/** The node takes integers in hex, in decimal, and as JSON has them. */
function readQuantity(value: unknown): bigint | undefined {
  const isText = typeof value === "string" && /^(0x[0-9a-f]+|\d+)$/i.test(value);
  return isText || (Number.isSafeInteger(value) && Number(value) >= 0) ? BigInt(value as string) : undefined;
}
