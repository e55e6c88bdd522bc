const yearInSeconds = 365n * 24n * 60n * 60n;

/** Says why a pace (the answer of `pace()`) does not bound a loss, or keeps everybody out; `undefined` if it is sound. */
export function judgePace(answer: string): string | undefined {
  if (!/^0x[0-9a-f]{128}$/.test(answer)) return undefined;
  const [most, window] = [BigInt(answer.slice(0, 66)), BigInt(`0x${answer.slice(66)}`)];
  const say = (why: string) => `pace() returns (${most}, ${window}): ${why}`;
  if (most === 0n) return say("it admits nobody. Return how many people it admits in each window.");
  if (window === 0n)
    return say("every claim reverts with PaceWithoutWindow(). Return the window in seconds.");
  if (most >= 1n << 32n) return say("it admits more people than there will be, so it bounds nothing.");
  if (window > yearInSeconds) {
    return say(
      "once a window is used up, the contract admits nobody for more than a year. Is it in seconds?",
    );
  }
  if (window < 60n) return say("a window under a minute is too short for anybody to react.");
  return undefined;
}
