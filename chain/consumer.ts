import {
  type BoundedAnswer,
  type BoundedCall,
  boundedCallsFor,
  type SpendGas,
  spendFreely,
} from "./boundedCalls.ts";
import { type BlockTime, type ChainTime, readBlockTimestamp, readChainTime } from "./clock.ts";
import type { Chain, Conversation } from "./connect.ts";
import { judgePolicy, type OnchainPolicy, PolicyError, policyCalls } from "./policy.ts";
import { type Allowlist, type AllowlistReading, allowlistCalls, judgeAllowlist } from "./registry.ts";
import { shareReads } from "./sharedRead.ts";

/** What the chain says of a consumer, all of it at one moment. */
export interface ConsumerReading {
  /** @throws PolicyError when the contract has no policy that can be served. */
  policy(): OnchainPolicy;
  readonly time: ChainTime;
  /**
   * When the cutoff's block was, unix seconds; `undefined` when there is no such block yet.
   *
   * @throws ChainUnavailableError when the node does not tell.
   */
  cutoffTime(): number | undefined;
  readonly allowlist: AllowlistReading;
  /** Milliseconds since the node was asked: what it says may have been so then, and no longer. */
  age(): number;
}

/**
 * Reads a consumer, or joins who is reading it; or answers what was just read, where the consumer is in demand.
 *
 * @param node Bounds how long is waited.
 * @param spend Bounds the gas; asked only by who reads.
 */
export type ReadConsumer = (
  node: Conversation,
  consumer: string,
  spend?: SpendGas,
) => Promise<ConsumerReading>;

/** Milliseconds for which a reading is shared, and so old a cutoff may be; and how many ask before it is kept. */
const sharing = { lasts: 1_000, demand: 20, atMost: 1_000 };

/**
 * Reads consumers, each in one batch (and a cutoff's block in another). Those who ask for the same one share it: at the
 * same time, and in demand for a second, read anew ahead of time so that nobody waits.
 */
export function consumerReader(input: {
  chain: Chain;
  allowlist: Allowlist;
  /**
   * Whether the chain's clock is taken as it is (see {@link readChainTime}), and nothing kept: a developer's test moves
   * the clock, or goes back to a snapshot, and asks at once.
   */
  isLocal: () => Promise<boolean>;
}): ReadConsumer {
  const { chain, isLocal } = input;
  const ofAllowlist = allowlistCalls(input.allowlist);
  const callsFor = (consumer: string): BoundedCall[] => [...ofAllowlist, ...policyCalls(consumer)];
  const ask = boundedCallsFor(callsFor);
  const gas = callsFor(input.allowlist.registry).reduce((sum, { gasLimit }) => sum + gasLimit, 0);

  async function read(consumer: string): Promise<ConsumerReading & { mayKeep: boolean }> {
    const node = chain.open();
    const asked = performance.now();
    const local = isLocal();
    const [answers, time] = await Promise.all([ask(node, consumer), readChainTime(node, () => local)]);
    const allowlist = judgeAllowlist(answers.slice(0, ofAllowlist.length), input.allowlist);
    const policy = judge(consumer, answers.slice(ofAllowlist.length));
    const cutoffTime =
      policy instanceof PolicyError ? undefined : await readCutoffTime(node, policy.cutoffBlock, time.latest);
    const isSound = ![policy, cutoffTime].some((part) => part instanceof Error);
    return {
      policy: () => unlessFailed(policy),
      time,
      cutoffTime: () => unlessFailed(cutoffTime),
      allowlist,
      age: () => performance.now() - asked,
      mayKeep: isSound && allowlist.problem === undefined && !(await local),
    };
  }

  const readings = shareReads(read, { ...sharing, mayKeep: ({ mayKeep }) => mayKeep });

  return async (node, consumer, spend = spendFreely) => {
    const kept = readings.kept(consumer, () => spend(gas, () => readings.read(consumer)));
    if (kept !== undefined) return kept;
    const running = readings.running(consumer);
    if (running !== undefined) return node.within(running);
    // Only what the node has been asked already is shared, so that nobody waits for another one's gas. And only who
    // reads holds gas: another one may have begun to while this one waited.
    const { joined } = await spend(gas, async () => {
      const joined = readings.running(consumer);
      if (joined !== undefined) return { joined };
      const own = readings.read(consumer);
      await node.within(own);
      return { joined: own };
    });
    return node.within(joined);
  };
}

function judge(consumer: string, answers: readonly BoundedAnswer[]): OnchainPolicy | PolicyError {
  try {
    return judgePolicy(consumer, answers);
  } catch (error) {
    if (error instanceof PolicyError) return error;
    throw error;
  }
}

/** Its failure counts only where somebody wants to know. */
async function readCutoffTime(
  node: Conversation,
  cutoffBlock: bigint,
  latest: BlockTime,
): Promise<number | undefined | Error> {
  if (cutoffBlock === 0n || cutoffBlock > latest.number) return undefined;
  try {
    return await readBlockTimestamp(node, cutoffBlock);
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

function unlessFailed<T>(found: T): Exclude<T, Error> {
  if (found instanceof Error) throw found;
  return found as Exclude<T, Error>;
}
