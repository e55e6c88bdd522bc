import { type ChainTime, readWallClock } from "../../../chain/clock.ts";

/**
 * Seconds by which this machine's clock and the chain's head may be apart, and so what a chain may lag: public chains
 * make a block every 2 to 12 seconds, a node may be some blocks late, and a clock that NTP sets is right to a fraction of
 * a second. A minute is several times all of that together, and a fifth of a verification's usual lifetime.
 */
export const clockTolerance = 60;

/** Unix seconds from which a verification's lifetime counts; or what is wrong with the clocks, for the operator. */
export type JudgedTime =
  | { readonly now: number; readonly problem?: undefined }
  | { readonly now?: undefined; readonly problem: string };

const late = "By the chain's blocks this machine's clock is late: have it set by NTP.";
const early =
  "The node's latest block is more than a minute old by this machine's clock. Either the clock is ahead: have it set by NTP. Or the chain stands still, or the node lags behind it: ask another node for its latest block.";

/**
 * Decides which time is believed. Sign-in messages are dated by the wall clock, and verifications expire by the chain's,
 * which is its latest block's time. Neither proves the other: when they are apart, the machine's clock, the node or the
 * chain may be the one that is wrong. So none of them is believed then, and a verification's lifetime counts from no
 * later than the latest block's time and {@link clockTolerance}.
 *
 * A local node makes blocks when it is asked to, so its clock is that of the block to come. With development secrets
 * it is taken as it is, for a test may have moved it.
 *
 * @param input.development Whether everybody knows the secrets in use.
 * @param input.isLocal Whether the node is a local one by its own word; asked only where its blocks do not tell the time.
 */
export function timeJudge(input: {
  development: boolean;
  isLocal: () => Promise<boolean>;
}): (time: ChainTime) => Promise<JudgedTime> {
  return async ({ now, told, latest: { timestamp: head } }) => {
    if (input.development) return { now };
    const wallClock = readWallClock();
    const isApart = (time: number) => Math.abs(time - wallClock) > clockTolerance;
    const problemWith = (time: number) => (time > wallClock ? late : early);
    const bounded = { now: Math.min(now, head + clockTolerance) };
    if (!isApart(head) && !isApart(told)) return bounded;
    if (!(await input.isLocal())) return isApart(head) ? { problem: problemWith(head) } : bounded;
    return isApart(told) ? { problem: problemWith(told) } : { now };
  };
}
