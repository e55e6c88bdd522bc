import type { Eip1193Connection } from "../protocol/eip1193.ts";
import { ChainUnavailableError } from "./connect.ts";
import { isLocalNode } from "./localNode.ts";

/** A block, as far as time goes. */
export interface BlockTime {
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** Where the chain stands. */
export interface ChainTime {
  /** What the next block's timestamp will be, unix seconds. */
  readonly now: number;
  /** The same by the node's word alone, however far it is off the wall clock. */
  readonly told: number;
  readonly latest: BlockTime;
}

/** Seconds that a public chain's clock is believed to be off. */
const maxDrift = 60;

/** An expiration is a uint40 of seconds, and the longest lifetime of a verification is an hour. */
const latestTime = 2 ** 40 - 1 - 3_600;

/** The machine's clock, unix seconds. */
export const readWallClock = (): number => Math.floor(Date.now() / 1000);

/**
 * The chain's clock: the pending block's timestamp; where a node has none, the later of the latest block's and the wall
 * clock. A local node may be idle or have its clock moved; the clock of any other chain is never taken to be more than
 * 60 s off the wall clock.
 *
 * @param isLocal Whether the node is a local one, where somebody knows already; see watchLocality.
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
  const told = pending?.timestamp ?? Math.max(latest.timestamp, wallClock);
  const nearest = Math.min(Math.max(told, wallClock - maxDrift), wallClock + maxDrift);
  return { now: local ? told : nearest, told, latest };
}

/**
 * When an account is being proven, unix seconds: by the wall clock, or by a local node's chain, by which cutoffs are
 * judged there: its clock may have been moved, and runs ahead when it mines fast.
 *
 * @param localNode `undefined` where the chain is not a local node's.
 */
export async function readAuthenticationTime(localNode: Eip1193Connection | undefined): Promise<number> {
  if (localNode === undefined) return readWallClock();
  return (await readChainTime(localNode, async () => true)).now;
}

/** The timestamp of a block, which must exist. */
export async function readBlockTimestamp(node: Eip1193Connection, number: bigint): Promise<number> {
  const block = await readBlock(node, `0x${number.toString(16)}`);
  if (block === undefined) throw new ChainUnavailableError(`The node does not have block ${number}.`);
  return block.timestamp;
}

async function readBlock(node: Eip1193Connection, tag: string): Promise<BlockTime | undefined> {
  const block = await node.request({ method: "eth_getBlockByNumber", params: [tag, false] });
  if (block === null) return undefined;
  const { number, timestamp } = block as { number?: unknown; timestamp?: unknown };
  if (!isQuantity(timestamp) || (tag !== "pending" && !isQuantity(number))) {
    throw new ChainUnavailableError("The node answered a block without number or timestamp.");
  }
  if (Number(timestamp) > latestTime) {
    throw new ChainUnavailableError(
      "The node answered a block of a time that no verification can expire after.",
    );
  }
  return { number: isQuantity(number) ? BigInt(number) : 0n, timestamp: Number(timestamp) };
}

/** Whether the node did answer, and only has no such block: not every node knows the tag `pending`. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ChainUnavailableError) return error.refused;
  return error instanceof Error && "code" in error && typeof error.code === "number";
}

function isQuantity(value: unknown): value is string {
  return typeof value === "string" && /^0x[0-9a-f]{1,13}$/i.test(value);
}
