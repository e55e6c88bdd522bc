import { BoundedMap } from "../boundedMap.ts";
import { shareReads } from "../sharedRead.ts";
import {
  type BoundedAnswer,
  type BoundedCall,
  type EncodedCalls,
  encodeCalls,
  makeCalls,
  type SpendGas,
  spendFreely,
} from "./boundedCalls.ts";
import { type BlockTime, type ChainTime, readBlockTimestamp, readChainTime } from "./clock.ts";
import type { Chain, Conversation } from "./connect.ts";
import { judgePolicy, type OnchainPolicy, PolicyError, policyCalls } from "./policy.ts";
import { type Allowlist, type AllowlistReading, allowlistCalls, judgeAllowlist } from "./registry.ts";

/** The state of a consumer at one block. */
export interface ConsumerReading {
  /** @throws PolicyError when the contract has no policy that the service accepts. */
  policy(): OnchainPolicy;
  readonly time: ChainTime;
  /**
   * The timestamp of the cutoff's block, unix seconds; `undefined` if that block does not exist yet.
   *
   * @throws ChainUnavailableError when the node does not answer.
   */
  cutoffTime(): number | undefined;
  readonly allowlist: AllowlistReading;
  /** Milliseconds since the node was asked. The state may have changed since. */
  age(): number;
}

/**
 * Reads a consumer, joins a read that is under way, or returns a recent reading, and begins the next in time.
 *
 * @param node Limits the wait.
 * @param spend Limits the gas. Only a caller that starts a read uses it.
 */
export type ReadConsumer = (
  node: Conversation,
  consumer: string,
  spend?: SpendGas,
) => Promise<ConsumerReading>;

/** The greatest age of a shared reading, and so of a cutoff; the age at which the next is begun; how many are kept. */
const sharing = { lastsMs: 1_000, dueMs: 750, atMost: 1_000 };

/** How many times of cutoffs are kept; and the age, in seconds, from which a block is final on every chain. */
const cutoffTimes = { atMost: 10_000, finalAfter: 3_600 };

/** Reads consumers, each in one batch, with a further one for a cutoff's block. */
export function consumerReader(input: {
  chain: Chain;
  allowlist: Allowlist;
  /** Whether to use the chain's clock as it is; see {@link readChainTime}. */
  isLocal: () => Promise<boolean>;
  /**
   * Whether readings outlive their read. Not on a local node, if the caller knows better than by `isLocal`: a developer's
   * test moves the clock or reverts to a snapshot and asks at once.
   */
  keeps?: () => Promise<boolean>;
}): ReadConsumer {
  const { chain, isLocal, keeps = async () => !(await isLocal()) } = input;
  const knownTimes = new BoundedMap<bigint, number>(cutoffTimes.atMost);
  const encoded = new BoundedMap<string, EncodedCalls>(sharing.atMost);
  const ofAllowlist = allowlistCalls(input.allowlist);
  const callsFor = (consumer: string): BoundedCall[] => [...ofAllowlist, ...policyCalls(consumer)];
  const gas = callsFor(input.allowlist.registry).reduce((sum, { gasLimit }) => sum + gasLimit, 0);

  function encode(consumer: string): EncodedCalls {
    const known = encoded.get(consumer);
    if (known !== undefined) return known;
    const calls = encodeCalls(callsFor(consumer));
    encoded.set(consumer, calls);
    return calls;
  }

  async function read(consumer: string): Promise<ConsumerReading & { mayKeep: boolean }> {
    const node = chain.open();
    const asked = performance.now();
    // A node that does not say whether it is local is asked again each time.
    const [answers, time, isKept] = await Promise.all([
      makeCalls(node, encode(consumer)),
      readChainTime(node, isLocal),
      keeps().catch(() => false),
    ]);
    const allowlist = judgeAllowlist(answers.slice(0, ofAllowlist.length), input.allowlist);
    const policy = judgeConsumer(consumer, answers.slice(ofAllowlist.length));
    const cutoffTime =
      policy instanceof PolicyError
        ? undefined
        : await readCutoffTime(node, policy.cutoffBlock, time.latest, isKept);
    const isSound = ![policy, cutoffTime].some((part) => part instanceof Error);
    return {
      policy: () => unlessFailed(policy),
      time,
      cutoffTime: () => unlessFailed(cutoffTime),
      allowlist,
      age: () => performance.now() - asked,
      mayKeep: isSound && allowlist.problem === undefined && isKept,
    };
  }

  /** Returns its error, which matters only to callers that need the time. */
  async function readCutoffTime(
    node: Conversation,
    cutoffBlock: bigint,
    latest: BlockTime,
    isKept: boolean,
  ): Promise<number | undefined | Error> {
    if (cutoffBlock === 0n || cutoffBlock > latest.number) return undefined;
    const known = knownTimes.get(cutoffBlock);
    if (known !== undefined) return known;
    try {
      const timestamp = await readBlockTimestamp(node, cutoffBlock);
      const isFinal = latest.timestamp - timestamp >= cutoffTimes.finalAfter;
      if (isKept && isFinal) knownTimes.set(cutoffBlock, timestamp);
      return timestamp;
    } catch (error) {
      if (error instanceof Error) return error;
      throw error;
    }
  }

  const readings = shareReads(read, { ...sharing, mayKeep: ({ mayKeep }) => mayKeep });

  return async (node, consumer, spend = spendFreely) => {
    // The next one is there before this one is too old: otherwise all requests would wait for the node each second.
    const kept = readings.answer(consumer, () => {
      spend(gas, () => readings.start(consumer)).catch(() => undefined);
    });
    if (kept !== undefined) return kept;
    const latest = readings.latest(consumer);
    if (latest !== undefined) return node.within(latest);
    // Only reads that have reached the node are shared, so that nobody waits for another caller's gas. Another caller may
    // have started one while this one waited; joining it takes no gas, so it is returned in an object, not awaited here.
    const { reading } = await spend(gas, async () => {
      const joined = readings.latest(consumer);
      if (joined !== undefined) return { reading: joined };
      const own = readings.start(consumer);
      await node.within(own);
      return { reading: own };
    });
    return node.within(reading);
  };
}

function judgeConsumer(consumer: string, answers: readonly BoundedAnswer[]): OnchainPolicy | PolicyError {
  try {
    return judgePolicy(consumer, answers);
  } catch (error) {
    if (error instanceof PolicyError) return error;
    throw error;
  }
}

function unlessFailed<T>(found: T): Exclude<T, Error> {
  if (found instanceof Error) throw found;
  return found as Exclude<T, Error>;
}
