import { type ChainTime, readChainTime, readWallClock } from "@hardhat-identity/protocol/chain/clock";
import type { Chain } from "@hardhat-identity/protocol/chain/connect";

/**
 * The tolerated difference between this machine's clock and the chain's latest block, in seconds. Public chains make a
 * block every 2 to 12 seconds, a node may lag by some blocks, and a clock set by NTP is accurate to a fraction of a
 * second. A minute is several times the sum of these, and a fifth of a verification's usual lifetime.
 */
export const clockToleranceSeconds = 60;

/**
 * The time from which a verification's lifetime counts, unix seconds, or the problem with the clocks, for operators.
 */
type JudgedTime =
  | { readonly now: number; readonly problem?: undefined }
  | { readonly now?: undefined; readonly problem: string };

const late = "This machine's clock is behind the chain's blocks: set it by NTP.";
const early =
  "The node's latest block is more than a minute behind this machine's clock. Either the clock is ahead: set it by NTP. Or the chain has stopped, or the node lags behind: compare another node's latest block.";

/**
 * Judges whether the clocks can be trusted. Sign-in messages are dated by the wall clock, and verifications expire by
 * the chain's clock, which is the time of its latest block. Neither clock proves the other: if they differ too much,
 * the machine's clock, the node or the chain may be wrong, so neither clock is trusted. A verification's lifetime
 * starts at most {@link clockToleranceSeconds} after the latest block.
 *
 * A local node makes blocks on demand, so its clock is that of the pending block. With development secrets that clock
 * is used as it is, because a test may have moved it.
 *
 * @param input.development Whether the public development secrets are in use.
 * @param input.isLocal Whether the node says that it is a local one. Called only if a block is far off the wall clock.
 */
export function timeJudge(input: {
  development: boolean;
  isLocal: () => Promise<boolean>;
}): (time: ChainTime, tolerance?: number) => Promise<JudgedTime> {
  return async ({ now, told, latest: { timestamp: head } }, tolerance = clockToleranceSeconds) => {
    if (input.development) return { now };
    const wallClock = readWallClock();
    const isApart = (time: number) => Math.abs(time - wallClock) > tolerance;
    const problemWith = (time: number) => (time > wallClock ? late : early);
    const bounded = { now: Math.min(now, head + clockToleranceSeconds) };
    if (!isApart(head) && !isApart(told)) return bounded;
    if (!(await input.isLocal())) return isApart(head) ? { problem: problemWith(head) } : bounded;
    return isApart(told) ? { problem: problemWith(told) } : { now };
  };
}

/** Returns a function that fails unless the chain confirms this machine's clock, or with the reason why it cannot. */
export function requireRightClock(chain: Chain, isLocal: () => Promise<boolean>): () => Promise<void> {
  // Even with development secrets: a chain whose time was moved confirms nothing.
  const judge = timeJudge({ development: false, isLocal });
  return async () => {
    const { problem } = await judge(await readChainTime(chain.open(), async () => true));
    if (problem !== undefined) throw new Error(problem);
  };
}
