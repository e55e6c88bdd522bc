import type { Eip1193Provider } from "../../protocol/eip1193.ts";
import { ChainUnavailableError } from "./node.ts";

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
  readonly latest: BlockTime;
}

/** Seconds that a public chain's clock is believed to be off. */
const maxDrift = 60;

/**
 * The chain's clock: the pending block's timestamp; where a node has none, the later of the latest block's and the wall
 * clock. A local node may be idle or have its clock moved; the clock of any other chain is never taken to be more than
 * 60 s off the wall clock.
 *
 * @param options.isLocal Whether the node is a local one; see watchLocality.
 * @param options.wallClock Unix seconds.
 */
export async function readChainTime(
  provider: Eip1193Provider,
  options: { isLocal: () => Promise<boolean>; wallClock: number },
): Promise<ChainTime> {
  const { isLocal, wallClock } = options;
  const [latest, pending, local] = await Promise.all([
    readBlock(provider, "latest"),
    readBlock(provider, "pending").catch((error: unknown) => {
      if (error instanceof ChainUnavailableError && error.refused) return undefined;
      throw error;
    }),
    isLocal(),
  ]);
  if (latest === undefined) throw new ChainUnavailableError("The node has no latest block.");
  const now = pending?.timestamp ?? Math.max(latest.timestamp, wallClock);
  const nearest = Math.min(Math.max(now, wallClock - maxDrift), wallClock + maxDrift);
  return { now: local ? now : nearest, latest };
}

/** The timestamp of a block, which must exist. */
export async function readBlockTimestamp(provider: Eip1193Provider, number: bigint): Promise<number> {
  const block = await readBlock(provider, `0x${number.toString(16)}`);
  if (block === undefined) throw new ChainUnavailableError(`The node does not have block ${number}.`);
  return block.timestamp;
}

async function readBlock(provider: Eip1193Provider, tag: string): Promise<BlockTime | undefined> {
  const block = await provider.request({ method: "eth_getBlockByNumber", params: [tag, false] });
  if (block === null) return undefined;
  const { number, timestamp } = block as { number?: unknown; timestamp?: unknown };
  if (!isQuantity(timestamp) || (tag !== "pending" && !isQuantity(number))) {
    throw new ChainUnavailableError("The node answered a block without number or timestamp.");
  }
  return { number: isQuantity(number) ? BigInt(number) : 0n, timestamp: Number(timestamp) };
}

function isQuantity(value: unknown): value is string {
  return typeof value === "string" && /^0x[0-9a-f]{1,13}$/i.test(value);
}
