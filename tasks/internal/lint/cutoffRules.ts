import type { BoundedAnswer } from "@hardhat-identity/chain/boundedCalls";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { readRpcError } from "@hardhat-identity/protocol/rpcError";
import { id } from "ethers";
import { l1Block } from "./probe.ts";

/** The latest blocks of a chain and its L1. */
export interface ChainHead {
  readonly chainId: number;
  /** Number of the latest block. */
  readonly block: bigint;
  /** Number of the L1's block, if the chain is of the OP Stack or of Arbitrum. */
  readonly l1Block: bigint | undefined;
}

/** Blocks by which a cutoff may be ahead of the chain: a day, in blocks of 2 s. */
const ahead = 43_200n;
/** A year, in blocks of 2 s; and in blocks of 12 s, as L1s have them. */
const year = 15_768_000n;
const l1Year = 2_628_000n;
/** More blocks than any chain has. A larger cutoff is unix seconds. */
const mostBlocks = 1_000_000_000n;

/** Reads the latest block of a chain and of its L1. */
export async function readChainHead(node: Eip1193Connection): Promise<ChainHead> {
  const number = { to: l1Block, data: id("number()").slice(0, 10) };
  const [chainId, latest, l1] = await Promise.all([
    node.request({ method: "eth_chainId" }),
    node.request({ method: "eth_getBlockByNumber", params: ["latest", false] }),
    node.request({ method: "eth_call", params: [number, "latest"] }).catch((error) => {
      if (readRpcError(error).data === undefined) throw error;
    }),
  ]);
  // Arbitrum's blocks name the L1's, which is `block.number` there.
  const { number: block, l1BlockNumber = l1 } = Object(latest);
  const isNumber = /^0x[0-9a-f]+$/i.test(l1BlockNumber);
  return {
    chainId: Number(chainId),
    block: BigInt(block),
    l1Block: isNumber ? BigInt(l1BlockNumber) : undefined,
  };
}

/** Explains why a cutoff cannot be a block of this chain; `undefined` if it can. */
export function judgeCutoff(
  cutoff: bigint,
  chain?: ChainHead,
): { rule: "cutoff-beyond-head" | "cutoff-of-another-chain"; message: string } | undefined {
  if (cutoff > mostBlocks) {
    const message = `cutoffBlock() is ${cutoff}, so nobody is ever admitted; it must be a block's number, not a time.`;
    return { rule: "cutoff-beyond-head", message };
  }
  if (chain === undefined) return undefined;
  const { chainId, block, l1Block: l1 } = chain;
  if (cutoff > block + ahead) {
    const message =
      `cutoffBlock() is ${cutoff}, but chain ${chainId} is at block ${block}: nobody is admitted before it gets ` +
      "there. Give a block of that chain, not one of its L1 or of another chain.";
    return { rule: "cutoff-beyond-head", message };
  }
  const isNearL1 = l1 !== undefined && cutoff <= l1 + ahead && cutoff + l1Year >= l1;
  if (cutoff > 0n && isNearL1 && cutoff + year < block) {
    const message =
      `cutoffBlock() is ${cutoff}, close to block ${l1} of the L1 and years behind block ${block} of chain ${chainId}: ` +
      "give a block of that chain itself.";
    return { rule: "cutoff-of-another-chain", message };
  }
  return undefined;
}

/** Warns about a getter whose revert looks as if there were no getter; `undefined` if it does not. */
export function judgeSilence(answer: BoundedAnswer | undefined): string | undefined {
  if (answer === undefined || answer.success || answer.exhausted || answer.size > 0) return undefined;
  return "cutoffBlock() reverts without data, which counts as 0: nobody's credential is too old. Return a block, or 0.";
}
