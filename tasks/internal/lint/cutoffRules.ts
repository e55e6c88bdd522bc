import type { BoundedAnswer } from "@hardhat-identity/protocol/chain/boundedCalls";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { toQuantity } from "@hardhat-identity/protocol/hex";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";
import { id } from "ethers";
import { l1Block } from "./probe.ts";

/** The latest blocks of a chain and its L1. */
export interface ChainHead {
  readonly chainId: number;
  /** Number of the latest block. */
  readonly block: bigint;
  /** Seconds from block to block, of the newest ones. */
  readonly blockSeconds: number;
  /** Number of the L1's block, if the chain is of the OP Stack or of Arbitrum. */
  readonly l1Block: bigint | undefined;
  /** The age in seconds of the chain's own block with that number; `undefined` if it does not exist yet. */
  readonly l1BlockAge: number | undefined;
}

/** Seconds by which a cutoff may be ahead of the chain. */
const aheadSeconds = 86_400;
/** Seconds: from the age of a year, a block that is close to the L1's number is one by mistake. */
const yearSeconds = 31_536_000;
/** {@link aheadSeconds} in blocks of Ethereum, which has one each 12 s. */
const l1Ahead = 7_200n;
/** {@link yearSeconds} in blocks of Ethereum. */
const l1Year = 2_628_000n;
/** More blocks than a chain of five a second has in nine years. A larger cutoff is unix seconds. */
const mostBlocks = 1_500_000_000n;
/** Newest blocks by which a chain's pace is measured. */
const measuredBlocks = 1_000n;
/** The least seconds from block to block: a young chain may have all of them in one second. */
const leastBlockSeconds = 0.05;

/** Reads the latest block of a chain and of its L1. */
export async function readChainHead(node: Eip1193Connection): Promise<ChainHead> {
  const number = { to: l1Block, data: id("number()").slice(0, 10) };
  const [chainId, latest, l1] = await Promise.all([
    node.request({ method: "eth_chainId" }),
    readBlock(node, "latest"),
    node.request({ method: "eth_call", params: [number, "latest"] }).catch((error) => {
      if (readRpcError(error).data === undefined) throw error;
    }),
  ]);
  // Arbitrum's blocks name the L1's, which is `block.number` there.
  const { l1BlockNumber = l1 } = latest;
  const isNumber = /^0x[0-9a-f]+$/i.test(String(l1BlockNumber));
  const l1Number = isNumber ? BigInt(String(l1BlockNumber)) : undefined;
  const before = latest.block < measuredBlocks ? 0n : latest.block - measuredBlocks;
  const [former, ofL1] = await Promise.all([
    readBlock(node, toQuantity(before)),
    l1Number === undefined || l1Number > latest.block ? undefined : readBlock(node, toQuantity(l1Number)),
  ]);
  const blocks = Number(latest.block - before) || 1;
  return {
    chainId: Number(chainId),
    block: latest.block,
    blockSeconds: Math.max(leastBlockSeconds, (latest.timestamp - former.timestamp) / blocks),
    l1Block: l1Number,
    l1BlockAge: ofL1 && latest.timestamp - ofL1.timestamp,
  };
}

async function readBlock(node: Eip1193Connection, tag: string) {
  const answer = await node.request({ method: "eth_getBlockByNumber", params: [tag, false] });
  if (answer === null) throw new InvalidInputError(`The node does not have the block ${tag} (--network).`);
  const { number, timestamp, l1BlockNumber } = Object(answer);
  return { block: BigInt(number), timestamp: Number(timestamp), l1BlockNumber };
}

/** Explains why a cutoff cannot be a block of this chain; `undefined` if it can. */
export function judgeCutoff(
  cutoff: bigint,
  chain?: ChainHead,
): { rule: "cutoff-beyond-head" | "cutoff-of-another-chain"; message: string } | undefined {
  const isAhead =
    chain !== undefined && cutoff > chain.block + BigInt(Math.floor(aheadSeconds / chain.blockSeconds));
  if (cutoff > mostBlocks && (isAhead || chain === undefined)) {
    const message = `cutoffBlock() is ${cutoff}, so nobody is ever admitted; it must be a block's number, not a time.`;
    return { rule: "cutoff-beyond-head", message };
  }
  if (chain === undefined) return undefined;
  const { chainId, block, l1Block: l1, l1BlockAge } = chain;
  if (isAhead) {
    const message =
      `cutoffBlock() is ${cutoff}, but chain ${chainId} is at block ${block}: nobody is admitted before it gets ` +
      "there. Give a block of that chain, not one of its L1 or of another chain.";
    return { rule: "cutoff-beyond-head", message };
  }
  const isNearL1 = l1 !== undefined && cutoff <= l1 + l1Ahead && cutoff + l1Year >= l1;
  if (cutoff > 0n && isNearL1 && l1BlockAge !== undefined && l1BlockAge > yearSeconds) {
    const message =
      `cutoffBlock() is ${cutoff}, close to block ${l1} of the L1 and years behind block ${block} of chain ${chainId}: ` +
      "give a block of that chain itself.";
    return { rule: "cutoff-of-another-chain", message };
  }
  return undefined;
}

/** Warns about a getter that computes the cutoff from `block.number`; `undefined` if it does not. */
export function judgeMoving(reads: readonly string[]): string | undefined {
  if (!reads.includes("block.number")) return undefined;
  return "cutoffBlock() counts time in blocks, whose pace changes: on Base, it became ten times as fast. The service accepts four rises in 24 hours. Keep the block in storage, and move it by block.timestamp.";
}

/** Warns about a getter whose revert looks as if there were no getter; `undefined` if it does not. */
export function judgeSilence(answer: BoundedAnswer | undefined): string | undefined {
  if (answer === undefined || answer.success || answer.exhausted || answer.size > 0) return undefined;
  return "cutoffBlock() reverts without data, which counts as 0: nobody's credential is too old. Return a block, or 0.";
}
