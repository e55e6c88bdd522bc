/** Something that was tried at one moment, and had come to its end, good or bad, at another. */
export interface Try {
  readonly sent: number;
  readonly done: number;
  readonly isGood: boolean;
}

/**
 * Milliseconds from a moment until it was good again for good: until the first end of what was begun after the last that
 * failed. 0 where nothing failed, and undefined where nothing was good after that.
 */
export function measureOutage(tries: readonly Try[], since: number): number | undefined {
  const failed = tries.filter(({ isGood, done }) => !isGood && done >= since).map(({ sent }) => sent);
  if (failed.length === 0) return 0;
  const last = Math.max(...failed);
  const good = tries.filter(({ isGood, sent }) => isGood && sent > last).map(({ done }) => done);
  return good.length === 0 ? undefined : Math.min(...good) - since;
}
