import { allowlistCall, describeAllowlistProblem } from "./allowlist.ts";
import { boundedCalls } from "./boundedCalls.ts";
import type { ChainNode } from "./node.ts";
import { judgePolicy, type OnchainPolicy, policyCalls } from "./policy.ts";
import { shareReads } from "./sharedRead.ts";
import { type ChainTime, readChainTime } from "./time.ts";

/** What the chain says of a consumer, all of it at one moment. */
export interface ConsumerReading {
  /** @throws PolicyError when the contract has no policy that can be served. */
  policy(): OnchainPolicy;
  readonly time: ChainTime;
  /** Why the registry would refuse what the signer signs; `undefined` when it is on the allowlist. */
  readonly allowlistProblem: string | undefined;
}

/** Milliseconds; so long before it is asked for may a cutoff have been read. */
const joinFor = 1_000;

/** Reads consumers, each in one batch; those who ask for the same one at the same time share it. */
export function consumerReader(input: {
  node: ChainNode;
  registry: string;
  signer: string;
  isLocal: () => Promise<boolean>;
}): (consumer: string) => Promise<ConsumerReading> {
  return shareReads(async (consumer) => {
    const provider = input.node.open();
    const [[allowlist, ...policy], time] = await Promise.all([
      boundedCalls(provider, [allowlistCall(input.registry, input.signer), ...policyCalls(consumer)]),
      readChainTime(provider, { isLocal: input.isLocal, wallClock: Math.floor(Date.now() / 1000) }),
    ]);
    return {
      policy: () => judgePolicy(consumer, policy),
      time,
      allowlistProblem: describeAllowlistProblem(allowlist, input),
    };
  }, joinFor);
}
