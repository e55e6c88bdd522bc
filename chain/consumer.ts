import { boundedCalls } from "./boundedCalls.ts";
import { type ChainTime, readChainTime } from "./clock.ts";
import type { Chain } from "./connect.ts";
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
}

/** Milliseconds; so long before it is asked for may a cutoff have been read. */
const joinFor = 1_000;

/** Reads consumers, each in one batch; those who ask for the same one at the same time share it. */
export function consumerReader(input: {
  chain: Chain;
  registry: string;
  signer: string;
  isLocal: () => Promise<boolean>;
}): (consumer: string) => Promise<ConsumerReading> {
  return shareReads(async (consumer) => {
    const node = input.chain.open();
    const [[allowlist, ...policy], time] = await Promise.all([
      boundedCalls(node, [allowlistCall(input.registry, input.signer), ...policyCalls(consumer)]),
      readChainTime(node, input.isLocal),
    ]);
    return {
      policy: () => judgePolicy(consumer, policy),
      time,
      allowlistProblem: describeAllowlistProblem(allowlist, input),
    };
  }, joinFor);
}
