/** Blocks of the first request. Providers allow from five to ten thousand. */
const firstSpan = 2_000;

/** Blocks of a request at most. */
const maxSpan = 10_000;

/** Milliseconds after which a longer range than was refused is tried. */
const forgetMs = 1_800_000;

/** After a range that failed, so many times as few blocks are asked for. */
const shrink = 8;

/** After so many ranges that did not fail, twice as many blocks are asked for. */
const growAfter = 8;

/** Learns how many blocks the node allows in a range, by halving what lies between what it took and what it refused. */
export function learnSpan() {
  let [size, taken, refused, at] = [firstSpan, 0, maxSpan + 1, 0];
  let [narrow, successes] = [maxSpan, 0];
  return {
    next(): number {
      if (performance.now() - at > forgetMs) refused = maxSpan + 1;
      return Math.min(size, narrow);
    },
    take(blocks: number): void {
      successes++;
      if (successes % growAfter === 0) narrow = Math.min(2 * narrow, maxSpan);
      taken = Math.max(taken, blocks);
      if (blocks < size) return;
      const between = Math.max(taken, Math.floor((taken + refused) / 2));
      size = refused > maxSpan ? Math.min(2 * size, maxSpan) : between;
    },
    refuse(blocks: number): void {
      [refused, at] = [Math.min(refused, blocks), performance.now()];
      // It takes no more what it took before: its limit has fallen, nobody knows how far.
      if (blocks <= taken) taken = 0;
      size = Math.max(1, Math.floor((taken + blocks) / 2));
    },
    /** A range failed: it took the node too long, or the node had a bad moment. */
    fail(blocks: number): void {
      [narrow, successes] = [Math.max(1, Math.floor(blocks / shrink)), 0];
    },
  };
}
