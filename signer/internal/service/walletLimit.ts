import { demandAllowed, type MakeLimiter } from "../limits/limiter.ts";

/**
 * Limits how often a wallet is answered.
 *
 * @param requests In a minute; 0 for no limit.
 * @returns What counts a request of a wallet (checksummed), whose signature was proven before: otherwise anybody could
 * use up another's share. Throws ServiceError `rate_limited`.
 */
export function limitWallets(requests: number, makeLimiter: MakeLimiter): (wallet: string) => void {
  if (requests === 0) return () => undefined;
  const limiter = makeLimiter("wallet", requests);
  return (wallet) => demandAllowed(limiter.count(wallet), requests, " of one wallet");
}
