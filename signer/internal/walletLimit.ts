import type { MakeLimiter } from "./limits/limiter.ts";
import { ServiceError } from "./serviceError.ts";

/**
 * Limits how often a wallet is answered.
 *
 * @param requests In a minute; 0 for no limit.
 * @returns What counts a request of a wallet (checksummed), whose signature was proven before: otherwise anybody could
 * use up another's share. Throws ServiceError `rate_limited`.
 */
export function limitWallets(requests: number, makeLimiter: MakeLimiter): (wallet: string) => Promise<void> {
  if (requests === 0) return async () => undefined;
  const limiter = makeLimiter("wallet", requests);
  return async (wallet) => {
    const { allowed, reset } = await limiter.count(wallet);
    if (allowed) return;
    throw new ServiceError(
      "rate_limited",
      `At most ${requests} requests a minute of one wallet are answered.`,
      {
        retryAfter: reset,
      },
    );
  };
}
