import type { Eip1193Connection } from "../eip1193.ts";
import { toQuantity } from "../hex.ts";
import { lastChainSecond } from "../lastSeconds.ts";
import { ChainUnavailableError } from "./connect.ts";
import { isLocalNode } from "./localNode.ts";

/** The number and time of a block. */
export interface BlockTime {
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** The time of the chain. */
export interface ChainTime {
  /** The expected timestamp of the next block, unix seconds. */
  readonly now: number;
  /** The same as the node reports it, however far it is from the wall clock. */
  readonly told: number;
  readonly latest: BlockTime;
}

/** The greatest plausible error of a public chain's clock. */
const maxDriftSeconds = 60;

/** Leaves room for an expiration: the longest lifetime of a verification is an hour. */
const latestTime = lastChainSecond - 3_600;

/** The machine's clock, unix seconds. */
export const readWallClock = (): number => Math.floor(Date.now() / 1000);

/**
 * The chain's clock: the later of the timestamps of the latest block and the pending one, which stands still on some nodes
 * and equals the latest on others; or of the latest block and the wall clock if the node has no pending block. A local node
 * may be idle or have its clock moved. On any other chain the result is at most 60 s from the wall clock.
 *
 * @param isLocal Whether the node is a local one, if the caller knows; see watchLocality.
 */
export async function readChainTime(
  node: Eip1193Connection,
  isLocal: () => Promise<boolean> = () => isLocalNode(node),
): Promise<ChainTime> {
  const [latest, pending, local] = await Promise.all([
    readBlock(node, "latest"),
    readBlock(node, "pending").catch((error: unknown) => {
      if (isRefusal(error)) return undefined;
      throw error;
    }),
    isLocal(),
  ]);
  if (latest === undefined) throw new ChainUnavailableError("The node has no latest block.");
  const wallClock = readWallClock();
  const told = Math.max(latest.timestamp, pending?.timestamp ?? wallClock);
  const nearest = Math.min(Math.max(told, wallClock - maxDriftSeconds), wallClock + maxDriftSeconds);
  return { now: local ? told : nearest, told, latest };
}

/**
 * The time at which an account is proven, unix seconds: the wall clock's, or the chain's on a local node. Cutoffs compare
 * with the chain's clock, which may have been moved there or run ahead of the wall clock.
 *
 * @param localNode `undefined` on any other chain.
 */
export async function readAuthenticationTime(localNode: Eip1193Connection | undefined): Promise<number> {
  if (localNode === undefined) return readWallClock();
  return (await readChainTime(localNode, async () => true)).now;
}

/** The timestamp of a block, which must exist. */
export async function readBlockTimestamp(node: Eip1193Connection, number: bigint): Promise<number> {
  const block = await readBlock(node, toQuantity(number)).catch((error: unknown) => {
    if (isRefusal(error)) return undefined;
    throw error;
  });
  if (block !== undefined) return block.timestamp;
  throw new ChainUnavailableError(
    `The node does not have block ${number}: it must keep the headers of all blocks since the oldest cutoff of a contract.`,
  );
}

async function readBlock(node: Eip1193Connection, tag: string): Promise<BlockTime | undefined> {
  const block = await node.request({ method: "eth_getBlockByNumber", params: [tag, false] });
  if (block === null) return undefined;
  const { number, timestamp } = block as { number?: unknown; timestamp?: unknown };
  if (!isQuantity(timestamp) || (tag !== "pending" && !isQuantity(number))) {
    throw new ChainUnavailableError("The node answered with a block that has no number or timestamp.");
  }
  if (Number(timestamp) > latestTime) {
    throw new ChainUnavailableError(
      "The node answered with a block whose time is too late for any verification.",
    );
  }
  return { number: isQuantity(number) ? BigInt(number) : 0n, timestamp: Number(timestamp) };
}

/** Whether the node answered that it has no such block: not every node supports the tag `pending`. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ChainUnavailableError) return error.refused;
  return error instanceof Error && "code" in error && typeof error.code === "number";
}

function isQuantity(value: unknown): value is string {
  return typeof value === "string" && /^0x[0-9a-f]{1,13}$/i.test(value);
}
