import { type BoundedCall, boundedCalls, type SpendGas, spendFreely } from "./boundedCalls.ts";
import { type ChainTime, readChainTime } from "./clock.ts";
import type { Chain, Conversation } from "./connect.ts";
import { judgePolicy, type OnchainPolicy, policyCalls } from "./policy.ts";
import { allowlistCall, describeAllowlistProblem } from "./registry.ts";
import { shareReads } from "./sharedRead.ts";

/** What the chain says of a consumer, all of it at one moment. */
export interface ConsumerReading {
  /** @throws PolicyError when the contract has no policy that can be served. */
  policy(): OnchainPolicy;
  readonly time: ChainTime;
  /** Why the registry would refuse what the signer signs; `undefined` when it is on the allowlist. */
  readonly allowlistProblem: string | undefined;
  /** Milliseconds since the node was asked: what it says may have been so then, and no longer. */
  age(): number;
}

/**
 * Reads a consumer, or joins who is reading it.
 *
 * @param node Bounds how long is waited.
 * @param spend Bounds the gas; asked only by who reads.
 */
export type ReadConsumer = (
  node: Conversation,
  consumer: string,
  spend?: SpendGas,
) => Promise<ConsumerReading>;

/** Milliseconds; so long before it is asked for may a cutoff have been read. */
const joinFor = 1_000;

/** Reads consumers, each in one batch; those who ask for the same one at the same time share it. */
export function consumerReader(input: {
  chain: Chain;
  registry: string;
  signer: string;
  /** Whether the chain's clock is taken as it is; see {@link readChainTime}. */
  isLocal: () => Promise<boolean>;
}): ReadConsumer {
  const callsFor = (consumer: string): [BoundedCall, ...BoundedCall[]] => [
    allowlistCall(input.registry, input.signer),
    ...policyCalls(consumer),
  ];
  const gas = callsFor(input.registry).reduce((sum, { gasLimit }) => sum + gasLimit, 0);

  const readings = shareReads<ConsumerReading>(async (consumer) => {
    const node = input.chain.open();
    const asked = performance.now();
    const [[allowlist, ...policy], time] = await Promise.all([
      boundedCalls(node, callsFor(consumer)),
      readChainTime(node, input.isLocal),
    ]);
    return {
      policy: () => judgePolicy(consumer, policy),
      time,
      allowlistProblem: describeAllowlistProblem(allowlist, input),
      age: () => performance.now() - asked,
    };
  }, joinFor);

  return async (node, consumer, spend = spendFreely) => {
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
