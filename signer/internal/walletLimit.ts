import { ServiceError } from "./serviceError.ts";

const minute = 60_000;

/** How many wallets are counted at once; more than a process can prove the signatures of in a minute. */
const countedWallets = 100_000;

/**
 * Limits how often a wallet is answered, minute by minute, counted in this process's memory.
 *
 * @param requests In a minute; 0 for no limit.
 * @param readClock Milliseconds since any moment.
 * @returns What counts a request of a wallet (checksummed), whose signature was proven before: otherwise anybody could
 * use up another's share. Throws ServiceError `rate_limited`.
 */
export function limitWallets(
  requests: number,
  readClock = () => performance.now(),
): (wallet: string) => void {
  if (requests === 0) return () => undefined;
  const counts = new Map<string, number>();
  let since = readClock();
  return (wallet) => {
    const passed = readClock() - since;
    if (passed >= minute) {
      counts.clear();
      since += passed;
    }
    const count = (counts.get(wallet) ?? 0) + 1;
    if (count > requests) {
      throw new ServiceError(
        "rate_limited",
        `At most ${requests} requests a minute of one wallet are answered.`,
        {
          retryAfter: Math.max(1, Math.ceil((since + minute - readClock()) / 1000)),
        },
      );
    }
    counts.set(wallet, count);
    const [oldest] = counts.keys();
    if (oldest !== undefined && counts.size > countedWallets) counts.delete(oldest);
  };
}
